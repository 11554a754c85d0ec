// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/job"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/patchnode"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/patchobject"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/webhook"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// newProfileActions returns what the triggers of profiles do. The client is one for this server, as the drainer's; the
// cluster is written to through the drainer's clients, which write only while this server leads.
func (c CompletedConfig) newProfileActions(client versioned.Interface, endpoints endpoint.Endpoints) action.Kinds {
	holds := hold.New(client)
	jobs := job.New(c.drainer.Kube, c.drainer.Taints, clock.RealClock{})
	return action.Kinds{
		action.KindHold:        hold.Raise{Holds: holds},
		action.KindRelease:     hold.Release{Holds: holds},
		action.KindPatchNode:   patchnode.New(c.drainer.Kube),
		action.KindJob:         jobs,
		action.KindReboot:      job.NewReboot(c.drainer.Kube, jobs),
		action.KindWebhook:     webhook.New(endpoints, clock.RealClock{}),
		action.KindPatchObject: patchobject.New(c.drainer.Dynamic),
	}
}
