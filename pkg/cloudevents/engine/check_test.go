// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// drainFinalizer stands for that of the drainer.
const drainFinalizer = "test/drainer"

// changed does what the registry does, and checks what must always be so. It is called under the server's lock.
func (w *world) changed(before, after drainertest.Object) {
	switch o := after.(type) {
	case *v1beta1.ScheduledEvent:
		if old, is := before.(*v1beta1.ScheduledEvent); is && !apiequality.Semantic.DeepEqual(old.Spec, o.Spec) {
			o.Generation = old.Generation + 1
		}
		w.wantOneMember(o)
	case *v1beta1.NodeMaintenance:
		old, is := before.(*v1beta1.NodeMaintenance)
		switch {
		case !is:
			o.Generation, o.Finalizers, o.CreationTimestamp = 1, []string{drainFinalizer}, metav1.Now().Rfc3339Copy()
			w.wantRecorded(o)
		case !apiequality.Semantic.DeepEqual(old.Spec, o.Spec):
			o.Generation = old.Generation + 1
		case old.DeletionTimestamp == nil && o.DeletionTimestamp != nil:
			w.wantGivenBack(o)
		}
	}
}

// isEmpty says whether a hold says that its whole node is empty, as it asks for now.
func isEmpty(hold *v1beta1.NodeMaintenance) bool {
	if hold == nil || hold.DeletionTimestamp != nil || hold.Spec.Stage != v1beta1.StageDrain || hold.Spec.Drain.PodSelector != nil {
		return false
	}
	drained := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionDrained)
	return drained != nil && drained.Status == metav1.ConditionTrue && drained.ObservedGeneration == hold.Generation
}

// eventOf is the event that a hold belongs to; nil if it is gone.
func (w *world) eventOf(hold *v1beta1.NodeMaintenance) *v1beta1.ScheduledEvent {
	for _, event := range drainertest.All[*v1beta1.ScheduledEvent](w.Store) {
		if v1beta1.EventRequestor+event.Name == hold.Spec.Requestor {
			return event
		}
	}
	return nil
}

// wantRecorded wants a new hold to be one that its event has recorded. A process that is behind another one may create one
// that nobody needs any more; it is given back.
func (w *world) wantRecorded(hold *v1beta1.NodeMaintenance) {
	if event := w.eventOf(hold); w.leaders.Load() == 1 && (event == nil || event.Status.Maintenance != hold.Name) {
		w.t.Errorf("hold %s is created before it was recorded: %+v", hold.Name, event)
	}
}

// wantGivenBack wants a node to be given back by the engine only while it is Ready, or its event is withdrawn.
func (w *world) wantGivenBack(hold *v1beta1.NodeMaintenance) {
	if slices.Contains(w.byPeople, hold.Name) {
		return
	}
	event, node := w.eventOf(hold), drainertest.Find[*corev1.Node](w.Store, "", hold.Spec.NodeName)
	if event == nil || node == nil || node.UID != event.Status.NodeUID || event.DeletionTimestamp != nil ||
		event.Spec.State == v1beta1.EventCanceled || event.Status.DrainStartTime == nil {
		return
	}
	ready := readyOf(node)
	if ready.Status != corev1.ConditionTrue && time.Since(ready.LastTransitionTime.Time) > 10*time.Second {
		w.t.Errorf("node %s is given back while it is not Ready: %+v", node.Name, event.Status)
	}
	if event.Status.Replacement == nil {
		return
	}
	for _, machine := range w.cloud.server.All("Machine") {
		if nodeOf(machine) == node.Name && machine.GetDeletionTimestamp() != nil {
			w.t.Errorf("node %s is given back while its machine is being taken away: %+v", node.Name, event.Status)
		}
	}
}

// wantOneMember wants one node of the control plane at a time to be out of service for events.
func (w *world) wantOneMember(changed *v1beta1.ScheduledEvent) {
	out := func(event *v1beta1.ScheduledEvent) bool {
		node := drainertest.Find[*corev1.Node](w.Store, "", event.Status.NodeName)
		return controlplane.Member(node) && event.Status.DrainStartTime != nil && event.Status.EndTime == nil
	}
	if !out(changed) || w.leaders.Load() > 1 {
		return
	}
	for _, other := range drainertest.All[*v1beta1.ScheduledEvent](w.Store) {
		if other.Name != changed.Name && other.Status.NodeName != changed.Status.NodeName && out(other) {
			w.t.Errorf("two nodes of the control plane are out of service: for %s and %s", changed.Name, other.Name)
		}
	}
}
