// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullProfile has every field.
func fullProfile() *v1beta1.MaintenanceProfile {
	return &v1beta1.MaintenanceProfile{
		ObjectMeta: metadata("flatcar"),
		Spec: v1beta1.MaintenanceProfileSpec{
			Alias: "flatcar_1", Mode: v1beta1.ProfileDryRun, Priority: 7,
			Nodes: v1beta1.ProfileNodes{
				Selector: fullSelector(), Names: []string{"worker-1"}, ByLabel: true, Unlabelled: true,
			},
			OnDetach: v1beta1.DetachRelease, NodeGoneSeconds: ptr.To[int64](60),
			Checks: fullChecks(), Triggers: fullTriggers(), Notifiers: fullNotifiers(),
			States: v1beta1.ProfileStates{
				Operational:         fullState(v1beta1.ProfileMaintenanceRequired),
				MaintenanceRequired: fullState(v1beta1.ProfileInMaintenance),
				InMaintenance:       fullState(v1beta1.ProfileOperational),
			},
		},
		Status: v1beta1.MaintenanceProfileStatus{
			Author:             fullAuthor(),
			ObservedGeneration: 1,
			Counts:             v1beta1.ProfileCounts{Nodes: 6, Operational: 3, MaintenanceRequired: 2, InMaintenance: 1},
			Conditions:         []metav1.Condition{fullCondition(v1beta1.ConditionActing)},
			Crash:              &v1beta1.ProfileCrash{Field: "spec.checks[0].node.expression", Digest: "5f0c", Began: *micro(1)},
		},
	}
}

// fullState leads to another state.
func fullState(next v1beta1.ProfileState) v1beta1.ProfileStateSpec {
	return v1beta1.ProfileStateSpec{
		Hold:  &v1beta1.ProfileHold{Stage: v1beta1.StageCordon, Drain: fullDrain()},
		Enter: []string{"mark"}, Notify: []string{"chat"},
		Transitions: []v1beta1.ProfileTransition{
			{Name: "go", Check: "label && !window", Triggers: []string{"mark", "hook"}, Next: next},
		},
	}
}

func fullDrain() v1beta1.DrainSpec { return newHold("drain", everySetting).hold.Spec.Drain }

func fullSelector() *metav1.LabelSelector { return fullDrain().PodSelector }

func fullCondition(kind string) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: metav1.ConditionFalse, ObservedGeneration: 1, LastTransitionTime: *at(2), Reason: "Because", Message: "it is so",
	}
}
