// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox/delivery"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox/mail"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox/slack"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox/webhook"
)

// newOutbox returns who sends the notifications of profiles. The client is one for this server.
func newOutbox(
	client versioned.Interface, nodeProfiles informers.NodeProfileInformer, endpoints endpoint.Endpoints,
) *delivery.Worker {
	own := client.MaintenanceV1beta1()
	return delivery.New(delivery.Config{
		Client: own.NodeProfiles(), NodeProfiles: nodeProfiles,
		Senders: newSenders(endpoints, delivery.NewThreads(own.MaintenanceEndpoints())),
	})
}

// newSenders returns how notifications of each kind are sent.
func newSenders(endpoints endpoint.Endpoints, threads outbox.Threads) outbox.Kinds {
	now := clock.RealClock{}
	return outbox.Kinds{
		v1beta1.NotifierSlack:       slack.New(endpoints),
		v1beta1.NotifierSlackThread: slack.NewThreads(endpoints, threads, now),
		v1beta1.NotifierMail:        mail.New(endpoints),
		v1beta1.NotifierWebhook:     webhook.New(endpoints, now),
	}
}
