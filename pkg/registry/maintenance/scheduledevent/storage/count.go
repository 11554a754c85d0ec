// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
)

const (
	// maxEvents is how many ScheduledEvents of users there may be, with those that have ended in the last 7 days. The server
	// looks at each of them.
	maxEvents = 1000
	// maxOfOne is how many of them may name the same node, instance or machine, so that who may have events for one node
	// leaves room for others.
	maxOfOne = 32
)

// count is the last check of a new event of a user. From then on, others wait until end.
type count struct {
	of   *REST
	held bool
}

// after adds the check to the others. The store may ask it again if it could not store the event at first.
func (c *count) after(validate rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		if caller.IsServer(ctx) {
			return nil
		}
		if !c.held {
			c.of.creating.Lock()
			c.held = true
		}
		return c.of.checkCount(ctx, obj)
	}
}

func (c *count) end() {
	if c.held {
		c.of.creating.Unlock()
		c.held = false
	}
}

func (r *REST) checkCount(ctx context.Context, obj runtime.Object) error {
	event, ok := obj.(*maintenance.ScheduledEvent)
	if !ok {
		return fmt.Errorf("expected a ScheduledEvent, got %T", obj)
	}
	listed, err := r.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not count the ScheduledEvents: %w", err)
	}
	list, isList := listed.(*maintenance.ScheduledEventList)
	if !isList {
		return fmt.Errorf("could not count the ScheduledEvents: got %T", listed)
	}
	all, same := ofUsers(list.Items, event)
	switch {
	case all >= maxEvents:
		return tooMany(event.Name, fmt.Sprintf("there are %d ScheduledEvents of users, and there may be %d", all, maxEvents))
	case same >= maxOfOne:
		return tooMany(event.Name, fmt.Sprintf("there are %d ScheduledEvents for the same node, instance or machine, and there may be %d", same, maxOfOne))
	}
	return nil
}

func tooMany(name, message string) error {
	return apierrors.NewForbidden(maintenance.Resource(scheduledevent.Plural), name,
		errors.New(message+": delete those that have ended, or are not true any more"))
}

// ofUsers is how many events there are that the server has not made itself, and how many of them are for the same node,
// instance or machine as the event.
func ofUsers(events []maintenance.ScheduledEvent, event *maintenance.ScheduledEvent) (all, same int) {
	for i := range events {
		spec := &events[i].Spec
		if spec.Source == v1beta1.AWSSource {
			continue
		}
		all++
		if meansSame(spec, &event.Spec) {
			same++
		}
	}
	return all, same
}

// meansSame says whether two events name the same node, instance or machine.
func meansSame(a, b *maintenance.ScheduledEventSpec) bool {
	return a.NodeName != "" && a.NodeName == b.NodeName || a.InstanceID != "" && a.InstanceID == b.InstanceID ||
		a.MachineRef != nil && ptr.Equal(a.MachineRef, b.MachineRef)
}
