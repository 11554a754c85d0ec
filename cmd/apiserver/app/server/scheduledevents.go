// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/engine"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/admitter"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// addEvents has what ScheduledEvents ask for be done while this server leads. The client is one for this server, as the
// drainer's.
func (c CompletedConfig) addEvents(drain *drainer.Drainer, admit *admitter.Admitter, client versioned.Interface) error {
	config := engine.Config{Maintenance: client, Kube: c.drainer.Kube, Cluster: drain, Policies: admit}
	if c.replacesMachines() {
		config.Machines = machines.New(c.drainer.Dynamic, c.drainer.Kube.Discovery(), clock.RealClock{})
	}
	events, err := engine.New(config)
	if err != nil {
		return fmt.Errorf("could not create the engine of scheduled events: %w", err)
	}
	drain.LeadBeside(events.Lead)
	return nil
}

// replacesMachines says whether this server may use the machine API that the cluster serves, if it serves one.
func (c CompletedConfig) replacesMachines() bool {
	return c.cloudEvents.MachineAPI && c.drainer.Dynamic != nil
}
