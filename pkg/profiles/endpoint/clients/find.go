// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// find returns an endpoint, which must not be changed.
func (c *Clients) find(name string) (*v1beta1.MaintenanceEndpoint, error) {
	found, err := c.config.Endpoints.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		c.mu.Lock()
		defer c.mu.Unlock()
		c.drop(name)
		return nil, unusable(name, "it does not exist")
	case err != nil:
		return nil, fmt.Errorf("could not find the endpoint %s: %w", name, err)
	case v1beta1.WhyUnreadable(found) != "":
		return nil, unusable(name, "it cannot be read: %s", v1beta1.WhyUnreadable(found))
	default:
		return found, nil
	}
}

func unusable(name, format string, args ...any) error {
	return &endpoint.Error{Endpoint: name, Reason: fmt.Sprintf(format, args...)}
}

// kindOf says which member is set, and its URL.
func kindOf(spec *v1beta1.MaintenanceEndpointSpec) (kind endpoint.Kind, url string) {
	switch {
	case spec.Slack != nil:
		return endpoint.KindSlack, spec.Slack.URL
	case spec.SMTP != nil:
		return endpoint.KindSMTP, ""
	case spec.Prometheus != nil:
		return endpoint.KindPrometheus, spec.Prometheus.URL
	case spec.HTTP != nil:
		return endpoint.KindHTTP, spec.HTTP.URL
	case spec.Webhook != nil:
		return endpoint.KindWebhook, spec.Webhook.URL
	case spec.Keystone != nil:
		return endpoint.KindKeystone, spec.Keystone.URL
	default:
		return "", ""
	}
}
