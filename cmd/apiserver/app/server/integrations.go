// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"

	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
	"github.com/medik8s/maintenance-apiserver/pkg/integrations/kubernikus"
	"github.com/medik8s/maintenance-apiserver/pkg/integrations/vsphere"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// IntegrationsConfig is which clouds the server works with.
type IntegrationsConfig struct {
	// VSphere is nil if the server does not look after hosts of vSphere.
	VSphere *vsphere.Settings
	// Kubernikus is nil if the server does not look after nodes of Kubernikus.
	Kubernikus *kubernikus.Settings
}

// addIntegrations has the integrations run, and clouds asked for events, while this server leads. The client is one for
// this server, as the drainer's. Each term begins with new ones, which remember nothing.
func (c CompletedConfig) addIntegrations(drain *drainer.Drainer, client versioned.Interface) {
	if settings := c.integrations.VSphere; settings != nil {
		c.addIntegration(drain, func(ctx context.Context, recorder record.EventRecorder) {
			vsphere.New(vsphere.Config{
				Settings: *settings, Kube: c.drainer.Kube, Maintenance: client, Known: drain, Fence: c.fence(),
				Recorder: recorder, Clock: clock.RealClock{},
			}).Run(ctx)
		})
	}
	if settings := c.integrations.Kubernikus; settings != nil {
		c.addIntegration(drain, func(ctx context.Context, recorder record.EventRecorder) {
			kubernikus.New(kubernikus.Config{
				Settings: *settings, Kube: c.drainer.Kube, Maintenance: client, Known: drain, Fence: c.fence(),
				Recorder: recorder, Clock: clock.RealClock{},
			}).Run(ctx)
		})
	}
	c.addCollectors(drain, client)
}

// fence keeps integrations from changing anything in a cloud while this server does not lead.
func (c CompletedConfig) fence() integrations.Fence {
	if c.leadership == nil {
		return nil
	}
	return c.leadership.Fence().Wrap
}

// addIntegration runs an integration, which writes events, while this server leads.
func (c CompletedConfig) addIntegration(drain *drainer.Drainer, run func(context.Context, record.EventRecorder)) {
	drain.LeadBeside(func(ctx context.Context) {
		recorder, stop := workloop.NewRecorder(c.drainer.Kube, "maintenance-apiserver", nil)
		defer stop()
		run(ctx, recorder)
	})
}
