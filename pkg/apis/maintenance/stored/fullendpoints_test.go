// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullEndpoints are one of each kind. Together they have every field.
func fullEndpoints() []namedObject {
	url := func(host string) *v1beta1.URLEndpoint {
		return &v1beta1.URLEndpoint{URL: "https://" + host + ".example.com"}
	}
	smtp := &v1beta1.SMTPEndpoint{Address: "mail.example.com:465", TLS: v1beta1.SMTPTLS, Auth: v1beta1.SMTPLogin}
	return []namedObject{
		fullEndpoint("slack", v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{URL: "https://slack.example.com/api/"}}),
		fullEndpoint("smtp", v1beta1.MaintenanceEndpointSpec{SMTP: smtp}),
		fullEndpoint("prometheus", v1beta1.MaintenanceEndpointSpec{Prometheus: url("prometheus")}),
		fullEndpoint("http", v1beta1.MaintenanceEndpointSpec{HTTP: url("web")}),
		fullEndpoint("webhook", v1beta1.MaintenanceEndpointSpec{Webhook: url("hooks")}),
		fullEndpoint("keystone", v1beta1.MaintenanceEndpointSpec{Keystone: url("kubernikus")}),
	}
}

func fullEndpoint(name string, spec v1beta1.MaintenanceEndpointSpec) namedObject {
	spec.SecretRef, spec.CABundle = &v1beta1.EndpointSecretReference{Name: name}, []byte("-----BEGIN CERTIFICATE-----\n")
	spec.TimeoutSeconds, spec.PerMinute = ptr.To[int32](5), ptr.To[int32](600)
	return namedObject{file: "maintenanceendpoints/" + name + ".json", object: &v1beta1.MaintenanceEndpoint{
		ObjectMeta: metadata(name), Spec: spec,
		Status: v1beta1.MaintenanceEndpointStatus{
			Threads: []v1beta1.SlackThread{{Channel: "#ops", Notifier: "thread", Timestamp: "1762070400.000100", Since: *at(9)}},
			Author:  fullAuthor(),
		},
	}}
}

func fullAuthor() *v1beta1.Author {
	return &v1beta1.Author{Username: "pia", UID: "7", Groups: []string{"payments"}}
}
