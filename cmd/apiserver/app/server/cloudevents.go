// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/collect"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// CloudEventsConfig is what is done with the events that clouds schedule.
type CloudEventsConfig struct {
	// Clouds are those that are asked for events, by the source of their ScheduledEvents.
	Clouds map[string]source.Cloud
	// Interval is the time between two polls of a cloud.
	Interval time.Duration
	// MachineAPI lets machines be replaced through the machine API that the cluster serves.
	MachineAPI bool
}

// addCollectors has clouds asked for events while this server leads. The client is one for this server, as the drainer's.
// Each term begins with a new collector, which remembers nothing.
func (c CompletedConfig) addCollectors(drain *drainer.Drainer, client versioned.Interface) {
	for name, cloud := range c.cloudEvents.Clouds {
		drain.LeadBeside(func(ctx context.Context) {
			collect.New(collect.Config{
				Source: cloud.New(drain.Nodes), Name: name,
				Maintenance: client, Interval: c.cloudEvents.Interval, Clock: clock.RealClock{},
			}).Run(ctx)
		})
	}
}
