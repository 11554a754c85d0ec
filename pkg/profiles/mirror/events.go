// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// The reasons of the events: two of the controller, and one of our own.
const (
	reasonChanged     = "ChangedMaintenanceState"
	reasonFailed      = "ChangeMaintenanceStateFailed"
	reasonOverwritten = "MaintenanceMarksOverwritten"
)

// tell writes the events and counts for a change of a NodeProfile. What was before this process led is not told.
func (t *term) tell(ctx context.Context, before, after *v1beta1.NodeProfile) {
	if t.Shadow.Why(after.Spec.NodeName) != "" || before == nil || before.UID != after.UID {
		return
	}
	was, is := &before.Status, &after.Status
	alias, node := t.alias(after.Spec.Profile), after.Spec.NodeName
	if was.State != "" && was.Sequence != is.Sequence && was.State != is.State {
		t.event(node, corev1.EventTypeNormal, reasonChanged,
			fmt.Sprintf("The node is now in the %s state caused by profile %s", sapdata.StateName(is.State), alias))
		if is.State == v1beta1.ProfileInMaintenance {
			t.tasks.Go(func() { t.countShuffles(ctx, node, alias) })
		}
	}
	if why := failure(is); why != "" && why != failure(was) {
		failures.WithLabelValues(alias).Inc()
		t.event(node, corev1.EventTypeNormal, reasonFailed,
			fmt.Sprintf("%s for profile %s: Will stay in %s state", why, alias, sapdata.StateName(is.State)))
	}
}

// failure is what keeps a profile from going on, in the words of the controller; empty: nothing.
func failure(status *v1beta1.NodeProfileStatus) string {
	if t := status.Transition; t != nil {
		for _, step := range t.Steps {
			if step.State == v1beta1.StepFailed || step.State == v1beta1.StepRunning && step.Failures > 1 && step.Message != "" {
				return "At least one trigger plugin failed"
			}
		}
	}
	if apimeta.IsStatusConditionFalse(status.Conditions, v1beta1.ConditionEvaluated) {
		return "At least one check plugin failed"
	}
	return ""
}

func (t *term) overwritten(node, manager string) {
	t.event(node, corev1.EventTypeWarning, reasonOverwritten, fmt.Sprintf(
		"The label %s or the annotation %s was changed by %s, and is set to what is true again: they are copies of the node's NodeProfiles",
		v1beta1.StateLabel, sapdata.Annotation, quote.Cut(cmp.Or(manager, "somebody"), quote.MaxMessage)))
}

// event uses the node's name as the UID, as the kubelet does.
func (t *term) event(node, kind, reason, message string) {
	t.Recorder.Event(&corev1.ObjectReference{Kind: "Node", APIVersion: "v1", Name: node, UID: types.UID(node)}, kind, reason, message)
}
