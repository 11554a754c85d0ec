// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// pollInterval is the time after which machines are looked at again while one is being replaced.
const pollInterval = 10 * time.Second

// begin records the replacement of the machine that the node has now. If nothing replaces it, what is known of it is
// forgotten, so that the next decision knows.
func (t *term) begin(ctx context.Context, v *view) error {
	wish, err := t.wish(ctx, v, v.facts.Found.Node)
	if err != nil {
		t.notes.found(v.name, foundMachine{})
		return fmt.Errorf("could not begin to replace the machine: %w", err)
	}
	begun, _ := replacement.Begin(wish, v.now)
	if begun == nil {
		t.notes.found(v.name, foundMachine{})
		v.lookAt(v.now.Add(time.Second))
		return nil
	}
	v.next.Status.Replacement = begun
	return nil
}

// next works out the next step of a replacement that goes on.
func (t *term) next(ctx context.Context, v *view) error {
	stored := *v.event.Status.Replacement
	goesOn := v.decision.MayReplace || v.decision.Undo
	if !goesOn || replacement.Ended(stored.Step) || t.config.Machines == nil {
		return nil
	}
	v.lookAt(v.now.Add(pollInterval))
	replaced, claimed := t.otherMachines(v)
	facts, err := t.config.Machines.Look(ctx, machines.Question{
		Replacement: stored, Event: v.event.UID, Others: replaced, Claimed: claimed, NodeReady: t.isReady,
	})
	if err != nil {
		v.failed = fmt.Errorf("could not look at the machines: %w", err)
		t.notes.troubled(v.name, v.failed)
		return nil
	}
	verdict := replacement.Next(replacement.Stand{
		Replacement: stored, Event: v.event.UID, Timeout: decision.TimeoutIn(&stored, v.facts.Policies),
		MayDelete: v.decision.MayDelete, Withdrawn: v.decision.Undo,
	}, facts, v.now)
	v.next.Status.Replacement, v.act = &verdict.Replacement, verdict.Act
	if v.act.Kind == replacement.ActNone {
		t.notes.troubled(v.name, nil)
	}
	v.say(verdict)
	return nil
}

// say adds what the replacement waits for. Of the drain of the node, and of what a person has to do, the decision knows
// more.
func (v *view) say(verdict replacement.Verdict) {
	status := &v.next.Status
	blocked := apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionBlocked)
	if !blocked && verdict.WaitingFor != "" && verdict.Replacement.Step != v1beta1.StepAwaitDrain {
		status.WaitingFor = verdict.WaitingFor
	}
}

// otherMachines are the machines that other unfinished events replace, and the new ones that other events have claimed, also
// of ended ones: each new machine comes for one event.
func (t *term) otherMachines(v *view) (replaced, claimed []string) {
	for _, other := range t.all() {
		r := other.Status.Replacement
		if other.Name == v.name || r == nil || r.Machine.Namespace != v.event.Status.Replacement.Machine.Namespace {
			continue
		}
		if !decision.Ended(other) {
			replaced = append(replaced, r.Machine.Name)
		}
		if r.NewMachine != "" && !v.keepsFrom(other) {
			claimed = append(claimed, r.NewMachine)
		}
	}
	return replaced, claimed
}

// keepsFrom says that the event keeps its new machine although another one has claimed it, too: both have chosen it at the
// same moment. Only the later one chooses again.
func (v *view) keepsFrom(other *v1beta1.ScheduledEvent) bool {
	if other.Status.Replacement.NewMachine != v.event.Status.Replacement.NewMachine || decision.Ended(other) {
		return false
	}
	mine, theirs := v.event.CreationTimestamp, other.CreationTimestamp
	return mine.Before(&theirs) || mine.Equal(&theirs) && v.name < other.Name
}

// replace carries out what was stored. The next move looks whether that is done. If it is to be done once more, it waits.
func (t *term) replace(ctx context.Context, v *view) (moved bool, err error) {
	if v.act.Kind == replacement.ActNone || v.act == v.acted {
		return false, nil
	}
	if isNewest, err := t.isNewest(ctx, v); !isNewest {
		return false, err
	}
	return true, t.carryOut(ctx, v)
}

// carryOut does what was stored before.
func (t *term) carryOut(ctx context.Context, v *view) error {
	err := t.config.Machines.Do(ctx, *v.event.Status.Replacement, v.act)
	if errors.Is(err, machines.ErrChanged) {
		err = nil // it is looked at again
	}
	if !apierrors.IsConflict(err) {
		t.notes.troubled(v.name, err)
	}
	if err != nil {
		return fmt.Errorf("could not replace the machine: %w", err)
	}
	v.acted = v.act
	return nil
}
