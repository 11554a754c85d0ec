// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// hold is a NodeMaintenance with the selectors of its drain parsed.
type hold struct {
	*v1beta1.NodeMaintenance
	selector labels.Selector
	rules    []rule
	// invalid says why a selector cannot be used. Such a hold evicts nothing and is never
	// drained, and stands in no other hold's way.
	invalid error
	// expired says that the drain is past its deadline and what is left is to be deleted.
	expired bool
}

func newHold(maintenance *v1beta1.NodeMaintenance) hold {
	h := hold{NodeMaintenance: maintenance, selector: labels.Everything()}
	if s := maintenance.Spec.Drain.PodSelector; s != nil {
		if h.selector, h.invalid = metav1.LabelSelectorAsSelector(s); h.invalid != nil {
			h.invalid = fmt.Errorf("spec.drain.podSelector cannot be used: %w", h.invalid)
		}
	}
	for i, from := range maintenance.Spec.Drain.Rules {
		parsed, err := newRule(from)
		if err != nil && h.invalid == nil {
			h.invalid = fmt.Errorf("spec.drain.rules[%d] cannot be used: %w", i, err)
		}
		h.rules = append(h.rules, parsed)
	}
	return h
}

// newHolds splits the NodeMaintenances of a node into those that count and those that are being
// released, each sorted by name so that what is derived from them does not flap. One that only
// somebody else's finalizer keeps has been released: it does not speak of the node any more.
func newHolds(maintenances []*v1beta1.NodeMaintenance) (active, released []hold) {
	sorted := slices.SortedFunc(slices.Values(maintenances), func(a, b *v1beta1.NodeMaintenance) int {
		return cmp.Compare(a.Name, b.Name)
	})
	for _, m := range sorted {
		switch {
		case m.DeletionTimestamp.IsZero():
			active = append(active, newHold(m))
		case slices.Contains(m.Finalizers, v1beta1.UncordonFinalizer):
			released = append(released, newHold(m))
		}
	}
	return active, released
}

// selects says whether the hold drains pods with the pod's labels, as far as no rule says
// otherwise.
func (h hold) selects(pod *corev1.Pod) bool {
	return h.Spec.Stage == v1beta1.StageDrain && h.invalid == nil && h.selector.Matches(labels.Set(pod.Labels))
}

// deadline is when the drain that began at start is to be done; nil without a limit.
func (h hold) deadline(start *metav1.Time) *metav1.Time {
	timeout := h.Spec.Drain.TimeoutSeconds
	if timeout == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*timeout) * time.Second)}
}

// deletesAt says whether the hold has what is left deleted, given what its status says.
func (h hold) deletesAt(now time.Time, status v1beta1.NodeMaintenanceStatus) bool {
	deadline := h.deadline(status.StartTime)
	return h.Spec.Stage == v1beta1.StageDrain && h.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete &&
		deadline != nil && !now.Before(deadline.Time) && !drained(status)
}

// cordons says whether the hold alone would have the node cordoned.
func (h hold) cordons() bool { return stageRank(h.Spec.Stage) >= stageRank(v1beta1.StageCordon) }

// ended says whether the hold asks for nothing any more, and at most waits for the node to be
// given back.
func (h hold) ended() bool { return !h.DeletionTimestamp.IsZero() || !h.cordons() }

// deleted is when the hold was deleted; zero when it was not.
func (h hold) deleted() time.Time {
	if h.DeletionTimestamp == nil {
		return time.Time{}
	}
	return h.DeletionTimestamp.Time
}

// lasting are the holds that have not ended.
func lasting(holds []hold) []hold { return slices.DeleteFunc(slices.Clone(holds), hold.ended) }

// recorded says whether the hold has written down what the node was like before.
func (h hold) recorded(node types.UID) bool {
	return h.Status.NodeUID == node && h.Status.NodeBefore != nil
}

// unionStage is the stage that the holds together ask for: the highest.
func unionStage(holds []hold) v1beta1.MaintenanceStage {
	highest := v1beta1.StageIdle
	for _, h := range holds {
		if stageRank(h.Spec.Stage) > stageRank(highest) {
			highest = h.Spec.Stage
		}
	}
	return highest
}

func stageRank(stage v1beta1.MaintenanceStage) int {
	return slices.Index([]v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}, stage)
}

// recordedBefore is what the holds wrote down of the node of that UID before they had it
// cordoned; nil when none has. The one that ends last knows best: the node may have been given back
// since another ended that has not been let go yet.
func recordedBefore(holds []hold, node types.UID) *v1beta1.NodeBefore {
	known := slices.DeleteFunc(slices.Clone(holds), func(h hold) bool { return !h.recorded(node) })
	if len(known) == 0 {
		return nil
	}
	return slices.MaxFunc(known, compareEnds).Status.NodeBefore
}

// compareEnds orders holds by when they end: those that do not come last.
func compareEnds(a, b hold) int {
	if a.ended() != b.ended() {
		return btoi(b.ended()) - btoi(a.ended())
	}
	return cmp.Or(a.deleted().Compare(b.deleted()), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
}
