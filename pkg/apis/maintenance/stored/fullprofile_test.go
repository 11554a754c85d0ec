// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullProfile has every field.
func fullProfile() *maintenance.MaintenanceProfile {
	return &maintenance.MaintenanceProfile{
		ObjectMeta: metadata("flatcar"),
		Spec: maintenance.MaintenanceProfileSpec{
			Alias: "flatcar_1", Mode: maintenance.ProfileDryRun, Priority: 7,
			Nodes: maintenance.ProfileNodes{
				Selector: fullSelector(), Names: []string{"worker-1"}, ByLabel: true, Unlabelled: true,
			},
			OnDetach: maintenance.DetachRelease, NodeGoneSeconds: ptr.To[int64](60),
			Checks: fullChecks(), Triggers: fullTriggers(), Notifiers: fullNotifiers(),
			States: maintenance.ProfileStates{
				Operational:         fullState(maintenance.ProfileMaintenanceRequired),
				MaintenanceRequired: fullState(maintenance.ProfileInMaintenance),
				InMaintenance:       fullState(maintenance.ProfileOperational),
			},
		},
		Status: maintenance.MaintenanceProfileStatus{
			Author:             fullAuthor(),
			ObservedGeneration: 1,
			Counts:             maintenance.ProfileCounts{Nodes: 6, Operational: 3, MaintenanceRequired: 2, InMaintenance: 1},
			Conditions:         []metav1.Condition{fullCondition(v1beta1.ConditionActing)},
			Crash:              &maintenance.ProfileCrash{Field: "spec.checks[0].node.expression", Digest: "5f0c", Began: *micro(1)},
		},
	}
}

// fullState leads to another state.
func fullState(next maintenance.ProfileState) maintenance.ProfileStateSpec {
	return maintenance.ProfileStateSpec{
		Hold:  &maintenance.ProfileHold{Stage: maintenance.StageCordon, Drain: fullDrain()},
		Enter: []string{"mark"}, Notify: []string{"chat"},
		Transitions: []maintenance.ProfileTransition{
			{Name: "go", Check: "label && !window", Triggers: []string{"mark", "hook"}, Next: next},
		},
	}
}

func fullDrain() maintenance.DrainSpec { return newHold("drain", everySetting).hold.Spec.Drain }

func fullSelector() *metav1.LabelSelector { return fullDrain().PodSelector }

func fullCondition(kind string) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: metav1.ConditionFalse, ObservedGeneration: 1, LastTransitionTime: *at(2), Reason: "Because", Message: "it is so",
	}
}
