// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// server is a server that plugins call, with its credentials.
type server struct {
	endpoint v1beta1.MaintenanceEndpoint
	// secret are the values of its Secret; none: it needs no Secret.
	secret map[string]string
	// identity tells it from other servers.
	identity string
}

// endpoints are all of them, each once, in the order of the file.
type endpoints struct {
	all   []*server
	names names
}

// name returns the name of a server, and makes one like base if it is a new one.
func (e *endpoints) name(base, identity string, spec v1beta1.MaintenanceEndpointSpec, secret map[string]string) string {
	for _, known := range e.all {
		if known.identity == identity {
			return known.endpoint.Name
		}
	}
	if e.names.taken == nil {
		e.names.taken = map[string]bool{}
	}
	made := &server{identity: identity, secret: secret}
	made.endpoint.TypeMeta = metav1.TypeMeta{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "MaintenanceEndpoint"}
	made.endpoint.Name = e.names.dns(base)
	made.endpoint.Spec = spec
	if len(secret) > 0 {
		made.endpoint.Spec.SecretRef = &v1beta1.EndpointSecretReference{Name: made.endpoint.Name}
	}
	e.all = append(e.all, made)
	return made.endpoint.Name
}

// used puts the servers that profiles name into the result, with their Secrets.
func (e *endpoints) used(result *Result, namespace string) {
	named := map[string]bool{}
	for i := range result.Profiles {
		addNamed(&result.Profiles[i].Spec, named)
	}
	for _, s := range e.all {
		if !named[s.endpoint.Name] {
			continue
		}
		result.Endpoints = append(result.Endpoints, s.endpoint)
		if len(s.secret) > 0 {
			result.Secrets = append(result.Secrets, s.secretIn(namespace))
		}
	}
}

func addNamed(spec *v1beta1.MaintenanceProfileSpec, named map[string]bool) {
	for _, check := range spec.Checks {
		switch {
		case check.Prometheus != nil:
			named[check.Prometheus.Endpoint] = true
		case check.HTTP != nil:
			named[check.HTTP.Endpoint] = true
		}
	}
	for _, notifier := range spec.Notifiers {
		switch {
		case notifier.Slack != nil:
			named[notifier.Slack.Endpoint] = true
		case notifier.SlackThread != nil:
			named[notifier.SlackThread.Endpoint] = true
		case notifier.Mail != nil:
			named[notifier.Mail.Endpoint] = true
		}
	}
}

func (s *server) secretIn(namespace string) corev1.Secret {
	return corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: s.endpoint.Name, Namespace: namespace},
		StringData: s.secret, Type: corev1.SecretTypeOpaque,
	}
}
