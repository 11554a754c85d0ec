// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A node goes through its maintenance: it is required, granted, done and over.
func TestCycle(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1")
		w.node("w-2")
		w.profile("flatcar")
		w.start()
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1", "w-2")
		w.label("w-1", "go")
		w.wait(10 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.label("w-2", "go")
		w.wait(10 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-2")
		if got := w.get("w-1", "flatcar"); got.Status.Hold == nil || got.Status.Hold.Reached != v1beta1.StageDrain {
			t.Errorf("the hold is %+v, want it drained", got.Status.Hold)
		}
		w.unlabel("w-1", "go")
		w.label("w-1", "done")
		w.wait(10 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-2")
		if holds := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", w.get("w-2", "flatcar").Status.Hold.Name); holds == nil {
			t.Error("w-2 is not held")
		}
		if got := w.get("w-1", "flatcar"); got.Status.Hold != nil || len(got.Status.History) != 3 || got.Status.Sequence != 4 {
			t.Errorf("got %+v, want no hold, and three transitions", got.Status)
		}
	})
}

func TestTrimTwice(t *testing.T) { drainertest.TransformTwice(t, trim, &corev1.Node{}) }
