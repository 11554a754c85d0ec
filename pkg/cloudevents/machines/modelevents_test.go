// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// event is one event with what is stored of it. Whoever leads has nothing else.
type event struct {
	uid       types.UID
	stored    v1beta1.MachineReplacement
	empty     bool
	withdrawn bool
	// surges counts the writes that added a machine for the event.
	surges int
	// late is an act that an earlier leader sends again.
	late []lateAct
	// waiting is what it waited for last.
	waiting string
}

// lateAct is an act that was sent at a time.
type lateAct struct {
	replacement.Act
	sent time.Time
}

// begin begins the replacement of a machine.
func (w *world) begin(machine *unstructured.Unstructured) {
	object := v1beta1.ReplacedObject{
		APIGroup: w.api.group, Kind: "Machine", Namespace: namespace, Name: machine.GetName(), UID: machine.GetUID(),
	}
	owner, _, err := w.client.OwnerOf(context.Background(), object)
	for err != nil {
		owner, _, err = w.client.OwnerOf(context.Background(), object)
	}
	wish := replacement.Wish{Machine: object, Owner: owner}
	if w.chance(25) {
		wish.Strategy = v1beta1.DeleteFirst
	}
	begun, why := replacement.Begin(wish, w.clock.Now())
	if begun == nil {
		w.errorf("refused: %s", why)
		return
	}
	w.events = append(w.events, &event{uid: eventUID(len(w.events)), stored: *begun})
}

// serve is what a leader does for an event: it looks, decides, stores and acts, and may be ended after any of these.
func (w *world) serve(e *event) {
	facts, err := w.look(e)
	if err != nil {
		return
	}
	stand := replacement.Stand{
		Replacement: e.stored, Event: e.uid, Timeout: 10 * time.Minute, MayDelete: e.empty, Withdrawn: e.withdrawn,
	}
	verdict := replacement.Next(stand, facts, w.clock.Now())
	if w.crashes() {
		return
	}
	if e.stored.Step != verdict.Replacement.Step {
		w.tell("%s: %s of %s, new %s, %s", e.uid, verdict.Replacement.Step, e.stored.Machine.Name, verdict.Replacement.NewMachine, verdict.Replacement.Failure)
	}
	e.stored, e.waiting = verdict.Replacement, verdict.WaitingFor
	if w.crashes() {
		return
	}
	w.do(e, verdict.Act)
	if w.crashes() && verdict.Act.Kind != replacement.ActNone {
		e.late = append(e.late, lateAct{Act: verdict.Act, sent: w.clock.Now()})
	}
}

// look looks at the machines for an event, while they change.
func (w *world) look(e *event) (replacement.Facts, error) {
	w.looking = true
	defer func() { w.looking = false }()
	return w.client.Look(context.Background(), machines.Question{
		Replacement: e.stored, Event: e.uid, Others: w.others(e), Claimed: w.claimed(e), NodeReady: w.ready.Has,
	})
}

func (w *world) do(e *event, act replacement.Act) {
	err := w.client.Do(context.Background(), e.stored, act)
	if err != nil && !errors.Is(err, machines.ErrChanged) && !errors.Is(err, errFault) && !apierrors.IsConflict(err) {
		w.errorf("%s: %s: %v", e.uid, act.Kind, err)
	}
}

// again has the last acts of an earlier leader arrive once more, which were on their way.
func (w *world) again(e *event) {
	for _, act := range e.late {
		if w.clock.Since(act.sent) < 10*time.Second {
			w.do(e, act.Act)
		}
	}
	e.late = nil
}

// claimed are the new machines of the other events.
func (w *world) claimed(e *event) (names []string) {
	for _, other := range w.events {
		if other != e {
			names = append(names, other.stored.NewMachine)
		}
	}
	return names
}

// others are the machines that the other events replace.
func (w *world) others(e *event) (names []string) {
	for _, other := range w.events {
		if other != e && !replacement.Ended(other.stored.Step) {
			names = append(names, other.stored.Machine.Name)
		}
	}
	return names
}

func (w *world) crashes() bool { return !w.quiet && w.chance(10) }

var errFault = errors.New("the API server does not answer")

// fault has some requests fail before they are carried out.
func (w *world) fault(string, schema.GroupVersionKind, string) error {
	if !w.quiet && w.chance(4) {
		return errFault
	}
	return nil
}

// lives goes on with the events, and with what their drains and their sources do.
func (w *world) lives(e *event) {
	switch step := e.stored.Step; {
	case w.chance(70) || w.quiet:
		w.serve(e)
	case w.chance(30):
		w.again(e)
	case !e.empty && step == v1beta1.StepAwaitDrain:
		e.empty = true
	case e.empty && step == v1beta1.StepAwaitDrain && w.chance(5):
		e.empty = false
	case w.chance(1):
		e.withdrawn = true
	}
	if w.quiet && e.stored.Step == v1beta1.StepAwaitDrain {
		e.empty = true
	}
}

// eventOf is the event that replaces a machine; nil if none does.
func (w *world) eventOf(machine string) *event {
	for _, e := range w.events {
		if e.stored.Machine.Name == machine {
			return e
		}
	}
	return nil
}
