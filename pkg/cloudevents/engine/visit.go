// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// mostMoves is how many moves a visit makes, so that an event that goes round and round holds up no other.
const mostMoves = 32

// view is what a move sees, and what follows. Only next is changed.
type view struct {
	name string
	now  time.Time
	// event is the event as it is stored, and next as it is to be stored.
	event, next *v1beta1.ScheduledEvent
	facts       decision.Facts
	decision    decision.Decision
	// act is what is done for the replacement when it is stored; acted is what this visit did last.
	act, acted replacement.Act
	// failed is the reason why the machines could not be looked at.
	failed error
	// again is the time when to look again; zero: after a change.
	again time.Time
}

// lookAt has the event visited again at a moment, if nothing else happens before.
func (v *view) lookAt(at time.Time) { v.again = due.Earlier(v.again, at) }

// visit makes one move after the other for an event, and says when the next one may be due.
func (t *term) visit(ctx context.Context, name string) (again time.Time, err error) {
	if name == everything {
		t.wakeAll()
		return time.Time{}, nil
	}
	var acted replacement.Act
	for range mostMoves {
		moved, again, err := t.move(ctx, name, &acted)
		if err != nil || !moved {
			return again, err
		}
	}
	return t.config.Clock.Now().Add(time.Second), nil
}

// move makes one move: it stores what follows from what is known, or does what was stored. If there was nothing to be
// done, it says when there may be.
func (t *term) move(ctx context.Context, name string, acted *replacement.Act) (moved bool, again time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, moveTimeout)
	defer cancel()
	v, err := t.look(ctx, name)
	if err != nil || v == nil {
		return false, time.Time{}, err
	}
	v.acted = *acted
	defer t.alone(v)()
	if err := t.decide(ctx, v); err != nil {
		return false, v.again, err
	}
	for _, step := range []func(context.Context, *view) (moved bool, err error){t.expire, t.store, t.replace, t.hold, t.letGo} {
		moved, err := step(ctx, v)
		*acted = v.acted
		if moved || err != nil {
			return moved, v.again, err
		}
	}
	return false, v.again, v.failed
}

// alone has an event be decided and stored while no other such one is, if it depends on what the others have begun: nodes of
// the control plane go one at a time, and of two events of a machine one replaces it.
func (t *term) alone(v *view) (done func()) {
	begins := v.event.Status.DrainStartTime != nil && v.event.Status.Replacement == nil && t.action(v) == v1beta1.EventActionReplace
	if !begins && !controlplane.Member(v.facts.Found.Node) {
		return func() {}
	}
	t.deciding.Lock()
	v.facts.Others = t.others(v.name)
	return t.deciding.Unlock
}

// decide works out what is to be stored and done.
func (t *term) decide(ctx context.Context, v *view) error {
	v.decision = decision.Decide(v.facts)
	v.lookAt(v.decision.Again)
	v.next = v.event.DeepCopy()
	v.next.Status = v.decision.Status
	switch {
	case v.event.Status.Replacement != nil:
		return t.next(ctx, v)
	case v.decision.MayReplace:
		return t.begin(ctx, v)
	default:
		return nil
	}
}

// store stores the status if it is another one, and tells people what has changed. What is to be done for the replacement is
// done with it: asked again, it might store another time first.
func (t *term) store(ctx context.Context, v *view) (moved bool, err error) {
	if apiequality.Semantic.DeepEqual(v.event.Status, v.next.Status) {
		return false, nil
	}
	if at := t.notes.written(v.name).Add(wordsInterval); v.now.Before(at) && onlyWords(&v.event.Status, &v.next.Status) {
		v.lookAt(at)
		return false, nil
	}
	if err := t.write(ctx, v); err != nil || v.act.Kind == replacement.ActNone {
		return true, err
	}
	return true, t.carryOut(ctx, v)
}
