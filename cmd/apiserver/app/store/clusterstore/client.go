// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// NewClient returns a client for the envelopes in the cluster of config. Its requests have a user agent of their own.
// They are not limited: each answers a request of a user, and those are. None is tried again here, as client-go would
// do for many seconds: the user's client does that, and knows for how long.
func NewClient(config *rest.Config) (dynamic.Interface, error) {
	config = dynamic.ConfigFor(config)
	config.UserAgent += "/store"
	config.QPS, config.APIPath = -1, "/"
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the store: %w", err)
	}
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, http)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the store: %w", err)
	}
	return dynamic.New(once{client}), nil
}

// once makes requests that are not tried again.
type once struct{ rest.Interface }

func (c once) Get() *rest.Request    { return c.Interface.Get().MaxRetries(0) }
func (c once) Post() *rest.Request   { return c.Interface.Post().MaxRetries(0) }
func (c once) Put() *rest.Request    { return c.Interface.Put().MaxRetries(0) }
func (c once) Delete() *rest.Request { return c.Interface.Delete().MaxRetries(0) }
