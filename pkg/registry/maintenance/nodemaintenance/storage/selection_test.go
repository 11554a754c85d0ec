// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// One typo in a selector, and a full node would say that it is drained.
func TestEmptySelectionIsWarnedOf(t *testing.T) {
	typo := func(hold *v1beta1.NodeMaintenance) {
		hold.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "bacth"}}
	}
	skipping := func(hold *v1beta1.NodeMaintenance) {
		hold.Spec.Drain.Rules = []v1beta1.DrainRule{{Action: v1beta1.ActionSkip}}
	}
	cordon := func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageCordon }
	matchesNone := `spec.drain.podSelector matches 0 of 14 pods of node "worker-1" (static pods and pods of DaemonSets are not counted): this hold evicts no pod`
	selectsNone := `spec.drain selects 0 of 14 pods of node "worker-1" (static pods and pods of DaemonSets are not counted): this hold evicts no pod`
	tests := map[string]struct {
		drainable, skipped int32
		change, update     []func(*v1beta1.NodeMaintenance)
		dryRun             []string
		want, wantOnUpdate []string
	}{
		"a typo":                        {drainable: 14, skipped: 14, change: changes(typo), want: []string{matchesNone}},
		"a typo in a dry run":           {drainable: 14, skipped: 14, change: changes(typo), dryRun: dryRun, want: []string{matchesNone}},
		"a selector of some pods":       {drainable: 14, skipped: 13, change: changes(typo)},
		"an empty node":                 {change: changes(typo)},
		"rules that skip all":           {drainable: 14, skipped: 14, change: changes(skipping), want: []string{selectsNone}},
		"no drain":                      {drainable: 14, skipped: 14, change: changes(typo, cordon)},
		"a typo in an update":           {drainable: 14, skipped: 14, change: changes(cordon), update: changes(typo, drain), wantOnUpdate: []string{matchesNone}},
		"an update of something else":   {drainable: 14, skipped: 14, change: changes(typo), want: []string{matchesNone}, update: changes(because("x"))},
		"a selector that an update cut": {drainable: 14, skipped: 14, change: changes(cordon, typo), update: changes(drain, skipping), wantOnUpdate: []string{selectsNone}},
	}
	storage := newTestStorage(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			storage.planner.plan = &v1beta1.DrainPlanStatus{DrainablePods: test.drainable, SkippedPods: test.skipped}
			hold := newHold("a", "worker-1")
			for _, change := range test.change {
				change(hold)
			}
			_, warnings := storage.create(t, alice, hold, test.dryRun...)
			wantStrings(t, "warnings of the create", warnings, test.want...)
			if len(test.dryRun) > 0 {
				return
			}
			if test.update != nil {
				_, warnings = storage.update(t, alice, "a", false, nil, func(hold *v1beta1.NodeMaintenance) {
					for _, change := range test.update {
						change(hold)
					}
				})
				wantStrings(t, "warnings of the update", warnings, test.wantOnUpdate...)
			}
			storage.remove(t, "a")
		})
	}
}

func changes(of ...func(*v1beta1.NodeMaintenance)) []func(*v1beta1.NodeMaintenance) {
	return of
}

func drain(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageDrain }

func because(reason string) func(*v1beta1.NodeMaintenance) {
	return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Reason = reason }
}
