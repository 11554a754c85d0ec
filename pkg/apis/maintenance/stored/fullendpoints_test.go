// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// fullEndpoints are one of each kind. Together they have every field.
func fullEndpoints() []namedObject {
	url := func(host string) *maintenance.URLEndpoint {
		return &maintenance.URLEndpoint{URL: "https://" + host + ".example.com"}
	}
	smtp := &maintenance.SMTPEndpoint{Address: "mail.example.com:465", TLS: maintenance.SMTPTLS, Auth: maintenance.SMTPLogin}
	return []namedObject{
		fullEndpoint("slack", maintenance.MaintenanceEndpointSpec{Slack: &maintenance.SlackEndpoint{URL: "https://slack.example.com/api/"}}),
		fullEndpoint("smtp", maintenance.MaintenanceEndpointSpec{SMTP: smtp}),
		fullEndpoint("prometheus", maintenance.MaintenanceEndpointSpec{Prometheus: url("prometheus")}),
		fullEndpoint("http", maintenance.MaintenanceEndpointSpec{HTTP: url("web")}),
		fullEndpoint("webhook", maintenance.MaintenanceEndpointSpec{Webhook: url("hooks")}),
		fullEndpoint("keystone", maintenance.MaintenanceEndpointSpec{Keystone: url("kubernikus")}),
	}
}

func fullEndpoint(name string, spec maintenance.MaintenanceEndpointSpec) namedObject {
	spec.SecretRef, spec.CABundle = &maintenance.EndpointSecretReference{Name: name}, []byte("-----BEGIN CERTIFICATE-----\n")
	spec.TimeoutSeconds, spec.PerMinute = ptr.To[int32](5), ptr.To[int32](600)
	return namedObject{file: "maintenanceendpoints/" + name + ".json", object: &maintenance.MaintenanceEndpoint{
		ObjectMeta: metadata(name), Spec: spec,
		Status: maintenance.MaintenanceEndpointStatus{
			Threads: []maintenance.SlackThread{{Channel: "#ops", Notifier: "thread", Timestamp: "1762070400.000100", Since: *at(9)}},
			Author:  fullAuthor(),
		},
	}}
}

func fullAuthor() *maintenance.Author {
	return &maintenance.Author{Username: "pia", UID: "7", Groups: []string{"payments"}}
}
