// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/collect"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source/aws"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// CloudEventsConfig is what is done with the events that clouds schedule.
type CloudEventsConfig struct {
	// AWS is nil if AWS is not asked for events.
	AWS *aws.Settings
	// Interval is the time between two polls of a cloud.
	Interval time.Duration
	// MachineAPI lets machines be replaced through the machine API that the cluster serves.
	MachineAPI bool
}

// addCollectors has clouds asked for events while this server leads. The client is one for this server, as the drainer's.
// Each term begins with a new collector, which remembers nothing.
func (c CompletedConfig) addCollectors(drain *drainer.Drainer, client versioned.Interface) {
	if c.cloudEvents.AWS == nil {
		return
	}
	drain.LeadBeside(func(ctx context.Context) {
		collect.New(collect.Config{
			Source: aws.New(aws.Config{Settings: *c.cloudEvents.AWS, Nodes: drain.Nodes}), Name: v1beta1.AWSSource,
			Maintenance: client, Interval: c.cloudEvents.Interval, Clock: clock.RealClock{},
		}).Run(ctx)
	})
}
