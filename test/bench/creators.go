// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// creator is one client, with connections of its own.
type creator struct {
	maintenance versioned.Interface
	kube        kubernetes.Interface
	custom      rest.Interface
	namespace   string
}

func newCreators(config *rest.Config, namespace string, clients int) ([]creator, error) {
	creators := make([]creator, 0, clients)
	for range clients {
		r, err := newCreator(config, namespace)
		if err != nil {
			return nil, fmt.Errorf("could not create a client: %w", err)
		}
		creators = append(creators, r)
	}
	return creators, nil
}

func newCreator(config *rest.Config, namespace string) (r creator, err error) {
	own := rest.CopyConfig(config)
	own.Dial = (&net.Dialer{}).DialContext // with a dialer of its own, a client shares no connection
	r.namespace = namespace
	if r.maintenance, err = versioned.NewForConfig(own); err != nil {
		return r, err
	}
	if r.kube, err = kubernetes.NewForConfig(own); err != nil {
		return r, err
	}
	r.custom, err = rest.RESTClientFor(customConfig(own))
	return r, err
}
