// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// Do carries out an act for a replacement. It can be done again. Writes that meet a change of somebody else are read
// and tried again. The error is ErrChanged if what was decided on is not so any more.
func (c *Client) Do(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		switch act.Kind {
		case replacement.ActSurge:
			return c.surge(ctx, of, act)
		case replacement.ActMark:
			return c.mark(ctx, of, act)
		case replacement.ActUnmark:
			return c.unmark(ctx, of, act)
		case replacement.ActScaleDown:
			return c.scaleDown(ctx, of, act)
		case replacement.ActForget:
			return c.forget(ctx, of, act)
		case replacement.ActDelete:
			return c.delete(ctx, of, act)
		case replacement.ActNone:
		}
		return nil
	})
}

// surge adds one machine to the owner, in one write with the event's UID. The machine must still be there: the one that
// replaces a machine that is gone comes by itself.
func (c *Client) surge(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	crew, err := c.crew(ctx, of)
	if err != nil {
		return err
	}
	if old := crew.find(of.Machine.Name); old == nil || old.GetUID() != of.Machine.UID {
		return ErrChanged
	}
	surge := readSurge(crew.owner)
	if _, added := surge.of(act.Event); added {
		return nil
	}
	if err := surge.add(crew.owner, act.Event); err != nil {
		return fmt.Errorf("could not add a machine to %s: %w", of.Owner.Name, err)
	}
	return c.update(ctx, crew.owner)
}

// scaleDown takes one machine away from the owner. Its only marked machine must be the one that was decided on.
func (c *Client) scaleDown(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	crew, err := c.crew(ctx, of)
	if crew == nil || err != nil {
		return err
	}
	surge := readSurge(crew.owner)
	found, added := surge.of(act.Event)
	if !added {
		return nil
	}
	if !found.kept && !crew.onlyMarked(act) {
		return ErrChanged
	}
	if err := surge.drop(crew.owner, act.Event, false); err != nil {
		return fmt.Errorf("could not take a machine from %s: %w", of.Owner.Name, err)
	}
	return c.update(ctx, crew.owner)
}

// onlyMarked says whether the owner takes the machine that was decided on when it is scaled down: it has the event's
// mark, and no other has one. If none was decided on, the owner must have none too many.
func (c *crew) onlyMarked(act replacement.Act) bool {
	if act.Machine == "" && int64(len(c.live)) >= replicas(c.owner) {
		return false
	}
	found := act.Machine == ""
	for _, machine := range c.live {
		by, marked := c.family.mark(machine)
		if marked && machine.GetName() != act.Machine {
			return false
		}
		found = found || marked && by == act.Event
	}
	return found
}

// forget takes the event out of the owner's annotation.
func (c *Client) forget(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	owner, err := c.get(ctx, *of.Owner)
	if owner == nil || err != nil {
		return err
	}
	surge := readSurge(owner)
	if _, added := surge.of(act.Event); !added {
		return nil
	}
	if err := surge.drop(owner, act.Event, true); err != nil {
		return fmt.Errorf("could not change %s: %w", of.Owner.Name, err)
	}
	return c.update(ctx, owner)
}

// mark marks a machine of the owner to be deleted first, unless another one is marked.
func (c *Client) mark(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	crew, err := c.crew(ctx, of)
	if err != nil {
		return err
	}
	if crew == nil {
		return ErrChanged
	}
	target := crew.find(act.Machine)
	if target == nil || crew.otherMarked(act.Machine) {
		return ErrChanged
	}
	if !crew.family.setMark(target, act.Event, target.GetUID() == of.Machine.UID) {
		return nil
	}
	return c.update(ctx, target)
}

func (c *crew) otherMarked(name string) bool {
	for _, machine := range c.live {
		if _, marked := c.family.mark(machine); marked && machine.GetName() != name {
			return true
		}
	}
	return false
}

// unmark takes off what mark set for the event.
func (c *Client) unmark(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	family, err := familyOf(of.Machine.APIGroup)
	if err != nil {
		return err
	}
	named := of.Machine
	named.Name, named.UID = act.Machine, ""
	machine, err := c.get(ctx, named)
	if machine == nil || err != nil || !family.clearMark(machine, act.Event) {
		return err
	}
	return c.update(ctx, machine)
}

// delete marks the machine, so that it is not drained a second time, and deletes it.
func (c *Client) delete(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error {
	family, err := familyOf(of.Machine.APIGroup)
	if err != nil {
		return err
	}
	machine, err := c.get(ctx, of.Machine)
	if machine == nil || err != nil || machine.GetDeletionTimestamp() != nil {
		return err
	}
	if family.setMark(machine, act.Event, true) {
		if err := c.update(ctx, machine); err != nil {
			return err
		}
	}
	resource, err := c.resource(ctx, of.Machine.APIGroup, of.Machine.Kind, of.Machine.Namespace)
	if err != nil {
		return err
	}
	err = resource.Delete(ctx, of.Machine.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &of.Machine.UID}})
	if err != nil && !apierrors.IsNotFound(err) {
		return explain(fmt.Sprintf("delete machine %s/%s", of.Machine.Namespace, of.Machine.Name), err)
	}
	return nil
}
