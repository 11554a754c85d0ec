// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package collect

import (
	"fmt"
	"slices"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
)

// missingFor is the time for which an event has to be missing before it ends: polls may be seconds apart, and a source may forget
// an event for a while.
const missingFor = 5 * time.Minute

// changes are what is to be written so that the ScheduledEvents of a source are as it tells them.
type changes struct {
	create, update []*v1beta1.ScheduledEvent
	// missing are the names of those that the source does not tell any more, and since when.
	missing map[string]time.Time
	// toldAgain are the names of those that ended because the source did not tell them, and that it now tells as Scheduled.
	toldAgain sets.Set[string]
	// refused are events that cannot be stored.
	refused []error
}

// facts are what changes follow from.
type facts struct {
	// source is the name of the source.
	source string
	// stored are all ScheduledEvents. They are not changed.
	stored []v1beta1.ScheduledEvent
	answer source.Answer
	// missing is what was missing in the answer before, and since when.
	missing map[string]time.Time
	now     time.Time
}

// decide returns the changes.
func decide(f facts) changes {
	c := changes{missing: map[string]time.Time{}, toldAgain: sets.Set[string]{}}
	byName := map[string]*v1beta1.ScheduledEvent{}
	for i := range f.stored {
		byName[f.stored[i].Name] = &f.stored[i]
	}
	told := sets.Set[string]{}
	for _, id := range sets.List(sets.KeySet(f.answer.Events)) {
		event := f.answer.Events[id]
		name := nameOf(f.source, id)
		told.Insert(name)
		c.keep(f.source, name, byName[name], event)
	}
	for i := range f.stored {
		if stored := &f.stored[i]; stored.Spec.Source == f.source && !told.Has(stored.Name) {
			c.end(f, stored)
		}
	}
	return c
}

// keep has an event be stored as the source tells it. One that is over, and was never stored, stays unknown.
func (c *changes) keep(name, object string, stored *v1beta1.ScheduledEvent, event source.Event) {
	if stored == nil {
		if event.State == v1beta1.EventScheduled {
			c.add(name, object, event)
		}
		return
	}
	if !isOf(stored, name, event) {
		c.refused = append(c.refused, fmt.Errorf("ScheduledEvent %s is not event %s of %s on %s, but of %s on %s, and has the name that it needs: delete it",
			object, event.ID, name, event.InstanceID, stored.Spec.Source, stored.Spec.InstanceID))
		return
	}
	wanted := stored.DeepCopy()
	spec := &wanted.Spec
	spec.NotBefore, spec.NotAfter, spec.Deadline, spec.Description = event.NotBefore, event.NotAfter, event.Deadline, event.Description
	switch {
	case isOpen(stored):
		spec.State = event.State
	case event.State == v1beta1.EventScheduled && wasNotTold(stored):
		c.toldAgain.Insert(object)
	}
	c.change(stored, wanted)
}

// add has a new event be stored.
func (c *changes) add(name, object string, event source.Event) {
	if problems := validation.IsDNS1123Subdomain(object); len(problems) > 0 {
		c.refused = append(c.refused, fmt.Errorf("event %q of %s cannot be the name of an object: %s", event.ID, name, problems[0]))
		return
	}
	c.create = append(c.create, &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: object},
		Spec: v1beta1.ScheduledEventSpec{
			Source: name, EventID: event.ID, Code: event.Code, InstanceID: event.InstanceID, Description: event.Description, State: event.State,
			NotBefore: event.NotBefore, NotAfter: event.NotAfter, Deadline: event.Deadline,
		},
	})
}

// end ends an event that the source does not tell, if it has answered for its machine, or if no node is its machine any
// more and the time of the event is over. Canceled and Completed stay, so it has to be missing in each poll for a while.
func (c *changes) end(f facts, stored *v1beta1.ScheduledEvent) {
	machine := stored.Spec.InstanceID
	gone := !f.answer.Asked.Has(machine) && isPast(lastTime(stored), f.now)
	if !isOpen(stored) || !f.answer.Answered.Has(machine) && !gone {
		return
	}
	since, before := f.missing[stored.Name]
	if !before {
		since = f.now
	}
	c.missing[stored.Name] = since
	if f.now.Sub(since) < missingFor {
		return
	}
	wanted := stored.DeepCopy()
	metav1.SetMetaDataAnnotation(&wanted.ObjectMeta, v1beta1.NotToldSinceAnnotation, since.UTC().Format(time.RFC3339))
	wanted.Spec.State = v1beta1.EventCanceled
	if gone || isPast(firstTime(stored), f.now) {
		wanted.Spec.State = v1beta1.EventCompleted
	}
	c.change(stored, wanted)
}

// change has an object be written, if anything has changed.
func (c *changes) change(stored, wanted *v1beta1.ScheduledEvent) {
	if stored.DeletionTimestamp == nil && !apiequality.Semantic.DeepEqual(stored.Spec, wanted.Spec) {
		c.update = append(c.update, wanted)
	}
}

// nameOf is the name of the object of an event.
func nameOf(name, id string) string { return name + "." + id }

// isOf says whether the object is that of the event.
func isOf(stored *v1beta1.ScheduledEvent, name string, event source.Event) bool {
	spec := stored.Spec
	return spec.Source == name && spec.EventID == event.ID && spec.InstanceID == event.InstanceID && spec.Code == event.Code
}

// isOpen says whether the state may change: Canceled and Completed stay, whoever has set them.
func isOpen(stored *v1beta1.ScheduledEvent) bool {
	return stored.Spec.State == v1beta1.EventScheduled && stored.Status.EndTime == nil
}

// wasNotTold says whether the event ended because its source did not tell it. One that is being deleted is about to be gone.
func wasNotTold(stored *v1beta1.ScheduledEvent) bool {
	return stored.Spec.State != v1beta1.EventScheduled && stored.DeletionTimestamp == nil && stored.Annotations[v1beta1.NotToldSinceAnnotation] != ""
}

// isPast says whether a time is over. One that is not known counts as over.
func isPast(t *metav1.Time, now time.Time) bool { return t == nil || !t.After(now) }

// firstTime is the time when the event happens at the earliest; nil if that is not known.
func firstTime(stored *v1beta1.ScheduledEvent) *metav1.Time {
	times := knownTimes(stored)
	if len(times) == 0 || stored.Spec.NotBefore != nil {
		return stored.Spec.NotBefore
	}
	return times[0]
}

// lastTime is the last time that is known of the event; nil if none is.
func lastTime(stored *v1beta1.ScheduledEvent) *metav1.Time {
	if times := knownTimes(stored); len(times) > 0 {
		return times[len(times)-1]
	}
	return nil
}

// knownTimes are the times of the event that are known, in order.
func knownTimes(stored *v1beta1.ScheduledEvent) []*metav1.Time {
	times := slices.DeleteFunc([]*metav1.Time{stored.Spec.NotBefore, stored.Spec.Deadline, stored.Spec.NotAfter},
		func(t *metav1.Time) bool { return t == nil })
	slices.SortFunc(times, func(a, b *metav1.Time) int { return a.Compare(b.Time) })
	return times
}
