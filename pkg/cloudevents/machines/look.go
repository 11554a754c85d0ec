// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// Question is what Look is asked about.
type Question struct {
	// Replacement is what is stored.
	Replacement v1beta1.MachineReplacement
	// Event is the UID of the ScheduledEvent.
	Event types.UID
	// Others are the names of the machines in the machine's namespace that other unfinished events replace.
	Others []string
	// Claimed are the names of the machines there that are the new machines of other events, also of ended ones.
	Claimed []string
	// NodeReady says whether a node is Ready.
	NodeReady func(node string) bool
}

// Look reads what Next has to know. It reads the machine after its siblings: a machine that is not among them was deleted
// before they were read, which it still shows, or it is detached.
func (c *Client) Look(ctx context.Context, question Question) (replacement.Facts, error) {
	of := question.Replacement
	crew, err := c.crew(ctx, of)
	if err != nil {
		return replacement.Facts{}, err
	}
	machine, err := c.get(ctx, of.Machine)
	if err != nil {
		return replacement.Facts{}, err
	}
	if crew != nil && (machine == nil || machine.GetDeletionTimestamp() != nil) {
		crew.lose(of.Machine.UID)
	}
	facts := replacement.Facts{Machine: presence(machine, crew), OwnerGone: crew == nil}
	if crew != nil {
		crew.tell(&facts, question)
	}
	if facts.Machine == replacement.Detached && crew != nil {
		if by, marked := crew.family.mark(machine); marked && by == question.Event {
			facts.Marks = append(facts.Marks, replacement.Mark{Machine: machine.GetName(), Own: true})
		}
	}
	return facts, nil
}

// presence is what has become of the machine.
func presence(machine *unstructured.Unstructured, crew *crew) replacement.Presence {
	switch {
	case machine == nil:
		return replacement.Gone
	case machine.GetDeletionTimestamp() != nil:
		return replacement.Deleting
	case crew != nil && crew.find(machine.GetName()) == nil:
		return replacement.Detached
	}
	return replacement.Present
}

// crew is the owner with its machines.
type crew struct {
	family family
	// owner is as it was read before the machines: who writes it with this version has seen its machines as they were then,
	// or later.
	owner *unstructured.Unstructured
	// live are the machines that are not being deleted, the youngest first.
	live []*unstructured.Unstructured
	// settled says that the owner's replicas have reached its only MachineSet.
	settled bool
}

// crew reads the owner and its machines. It is nil if the owner is gone.
func (c *Client) crew(ctx context.Context, of v1beta1.MachineReplacement) (*crew, error) {
	family, err := familyOf(of.Machine.APIGroup)
	if err != nil || of.Owner == nil {
		return nil, err
	}
	owner, err := c.get(ctx, *of.Owner)
	if owner == nil || err != nil || owner.GetDeletionTimestamp() != nil {
		return nil, err
	}
	crew := &crew{family: family, owner: owner, settled: true}
	controllers := []types.UID{owner.GetUID()}
	if of.Owner.Kind == machineDeploymentKind {
		sets, err := c.setsOf(ctx, *of.Owner)
		if err != nil {
			return nil, err
		}
		for i := range sets {
			controllers = append(controllers, sets[i].GetUID())
		}
		wanting := active(sets)
		crew.settled = len(wanting) == 1 && replicas(&wanting[0]) == replicas(owner)
	}
	machines, err := c.list(ctx, of.Machine.APIGroup, machineKind, of.Machine.Namespace)
	if err != nil {
		return nil, err
	}
	crew.take(controlled(machines, controllers...))
	return crew, nil
}

func (c *crew) take(machines []unstructured.Unstructured) {
	for i := range machines {
		if machines[i].GetDeletionTimestamp() == nil {
			c.live = append(c.live, &machines[i])
		}
	}
	slices.SortFunc(c.live, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(created(b).Compare(created(a)), cmp.Compare(b.GetName(), a.GetName()))
	})
}

// lose takes out a machine that was deleted since the machines were read.
func (c *crew) lose(uid types.UID) {
	c.live = slices.DeleteFunc(c.live, func(machine *unstructured.Unstructured) bool { return machine.GetUID() == uid })
}

func created(machine *unstructured.Unstructured) time.Time {
	return machine.GetCreationTimestamp().Time
}

// find returns a live machine of the owner; nil if it has none of that name.
func (c *crew) find(name string) *unstructured.Unstructured {
	if c == nil {
		return nil
	}
	for _, machine := range c.live {
		if machine.GetName() == name {
			return machine
		}
	}
	return nil
}

// tell says of the owner and its machines what matters for the question.
func (c *crew) tell(facts *replacement.Facts, question Question) {
	added, surged := readSurge(c.owner).of(question.Event)
	facts.Surged, facts.Rescaled = surged, added.kept
	facts.Settled, facts.Replicas, facts.Live = c.settled, replicas(c.owner), int64(len(c.live))
	for _, machine := range c.live {
		if node := nodeName(machine); node != "" && question.NodeReady(node) {
			facts.Ready++
		}
		if by, marked := c.family.mark(machine); marked {
			facts.Marks = append(facts.Marks, replacement.Mark{Machine: machine.GetName(), Own: by == question.Event})
		}
	}
	facts.Newest, facts.New = c.newest(question), c.newMachine(question)
}

// newest is the youngest machine that belongs to no event but this one, or else that is no event's old one.
func (c *crew) newest(question Question) (name string) {
	for _, machine := range c.live {
		switch {
		case question.old(machine):
		case !question.claimed(machine):
			return machine.GetName()
		case name == "":
			name = machine.GetName()
		}
	}
	return name
}

// old says whether an event replaces the machine.
func (q Question) old(machine *unstructured.Unstructured) bool {
	return machine.GetName() == q.Replacement.Machine.Name || slices.Contains(q.Others, machine.GetName())
}

// claimed says whether the machine is the new one of another event.
func (q Question) claimed(machine *unstructured.Unstructured) bool {
	return slices.Contains(q.Claimed, machine.GetName())
}

// newMachine is the machine that comes instead: the one that was recorded, or else one that was created since the step
// began, one with a Ready node before others, the oldest before younger ones. None is that of another event.
func (c *crew) newMachine(question Question) (best *replacement.NewMachine) {
	since := question.Replacement.StepTime
	for _, machine := range c.live {
		if question.claimed(machine) {
			continue
		}
		found := describe(machine, question.NodeReady)
		if found.Name == question.Replacement.NewMachine {
			return found
		}
		// The API server keeps whole seconds.
		fresh := since != nil && !created(machine).Before(since.Truncate(time.Second))
		if fresh && !question.old(machine) && (best == nil || found.Ready || !best.Ready) {
			best = found
		}
	}
	return best
}

func describe(machine *unstructured.Unstructured, nodeReady func(string) bool) *replacement.NewMachine {
	found := &replacement.NewMachine{Name: machine.GetName(), Node: nodeName(machine), Problem: problem(machine)}
	found.Ready = found.Node != "" && nodeReady(found.Node)
	return found
}
