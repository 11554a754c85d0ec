// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceendpoint

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The members of the spec, of which an endpoint has one, as its fields are called.
const (
	Slack      = "slack"
	SMTP       = "smtp"
	Prometheus = "prometheus"
	HTTP       = "http"
	Webhook    = "webhook"
	Keystone   = "keystone"
)

// Member returns which one an endpoint has, and where that is. Both are empty if it is one that this version does not
// know. where is empty if only the Secret knows it.
func Member(spec *v1beta1.MaintenanceEndpointSpec) (name, where string) {
	switch {
	case spec.Slack != nil:
		return Slack, spec.Slack.URL
	case spec.SMTP != nil:
		return SMTP, spec.SMTP.Address
	case spec.Prometheus != nil:
		return Prometheus, spec.Prometheus.URL
	case spec.HTTP != nil:
		return HTTP, spec.HTTP.URL
	case spec.Webhook != nil:
		return Webhook, spec.Webhook.URL
	case spec.Keystone != nil:
		return Keystone, spec.Keystone.URL
	}
	return "", ""
}
