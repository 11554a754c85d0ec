// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/component-base/metrics/testutil"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// evaluationsSoFar is how often checks were evaluated.
func evaluationsSoFar(t *testing.T) int {
	t.Helper()
	value, err := testutil.GetCounterMetricValue(evaluations)
	if err != nil {
		t.Fatal(err)
	}
	return int(value)
}

// quick has maintenance be a state and no more.
func quick(spec *v1beta1.MaintenanceProfileSpec) {
	states := &spec.States
	states.MaintenanceRequired.Transitions[0].Triggers = nil
	states.InMaintenance.Hold, states.InMaintenance.Enter, states.InMaintenance.Transitions[0].Triggers = nil, nil, nil
}

// The end of a maintenance costs the same however many wait.
func TestOneEndCosts(t *testing.T) {
	limit := v1beta1.ProfileCheck{Name: "more", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1}}
	pool := v1beta1.ProfileCheck{Name: "more", Stagger: &v1beta1.StaggerCheck{Pool: "q", Seconds: 20}}
	for name, change := range map[string]func(*v1beta1.MaintenanceProfileSpec){
		"they wait for room":               startIf("go && more", limit),
		"they wait for a place of a pool":  startIf("go && more", pool),
		"they wait for something else too": startIf("go && more && ready", limit),
	} {
		t.Run(name, func(t *testing.T) {
			few, many := costOfEnd(t, 20, change), costOfEnd(t, 200, change)
			t.Logf("%d evaluations of 20, %d of 200", few, many)
			if many > few+50 {
				t.Errorf("%d evaluations if 200 wait, and %d if 20 do", many, few)
			}
		})
	}
}

// costOfEnd is how many evaluations come of the end of a maintenance while so many nodes wait.
func costOfEnd(t *testing.T, waiting int, change func(*v1beta1.MaintenanceProfileSpec)) (cost int) {
	t.Helper()
	inWorld(t, 0, func(w *world) {
		w.node("a", "go", "ready")
		w.node("b", "go", "ready")
		for i := range waiting {
			w.node(fmt.Sprintf("w-%03d", i), "go")
		}
		w.profile("flatcar", change, quick, func(s *v1beta1.MaintenanceProfileSpec) {
			s.Checks = append(s.Checks, v1beta1.ProfileCheck{Name: "ready", NodeLabel: &v1beta1.KeyValueCheck{Key: "ready"}})
		})
		w.start()
		w.wait(2 * time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "a")
		before := evaluationsSoFar(t)
		w.unlabel("a", "go")
		w.label("a", "done")
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "b")
		cost = evaluationsSoFar(t) - before
	})
	return cost
}
