// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceendpoint"
)

// EndpointReference is where a profile names a MaintenanceEndpoint.
type EndpointReference struct {
	// Path is the field.
	Path *field.Path
	// Name is the name of the endpoint.
	Name string
	// Members are those of which the endpoint must have one.
	Members []string
}

// Endpoints are all references of the spec to MaintenanceEndpoints.
func Endpoints(spec *v1beta1.MaintenanceProfileSpec) []EndpointReference {
	var all []EndpointReference
	add := func(path *field.Path, name string, members ...string) {
		all = append(all, EndpointReference{Path: path.Child("endpoint"), Name: name, Members: members})
	}
	for i := range spec.Checks {
		check, path := &spec.Checks[i], field.NewPath("spec", "checks").Index(i)
		switch {
		case check.Prometheus != nil:
			add(path.Child("prometheus"), check.Prometheus.Endpoint, maintenanceendpoint.Prometheus)
		case check.HTTP != nil:
			add(path.Child("http"), check.HTTP.Endpoint, maintenanceendpoint.HTTP, maintenanceendpoint.Keystone)
		}
	}
	for i := range spec.Triggers {
		if webhook := spec.Triggers[i].Webhook; webhook != nil {
			add(field.NewPath("spec", "triggers").Index(i).Child("webhook"), webhook.Endpoint, maintenanceendpoint.Webhook)
		}
	}
	for i := range spec.Notifiers {
		notifier, path := &spec.Notifiers[i], field.NewPath("spec", "notifiers").Index(i)
		switch {
		case notifier.Slack != nil:
			add(path.Child("slack"), notifier.Slack.Endpoint, maintenanceendpoint.Slack)
		case notifier.SlackThread != nil:
			add(path.Child("slackThread"), notifier.SlackThread.Endpoint, maintenanceendpoint.Slack)
		case notifier.Mail != nil:
			add(path.Child("mail"), notifier.Mail.Endpoint, maintenanceendpoint.SMTP)
		case notifier.Webhook != nil:
			add(path.Child("webhook"), notifier.Webhook.Endpoint, maintenanceendpoint.Webhook)
		}
	}
	return all
}

// Expects says whether an endpoint of a member will do.
func (r EndpointReference) Expects(member string) bool { return slices.Contains(r.Members, member) }

// Same says whether both ask for the same endpoint, of the same kind.
func (r EndpointReference) Same(other EndpointReference) bool {
	return r.Name == other.Name && slices.Equal(r.Members, other.Members)
}
