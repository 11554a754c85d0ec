// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A node that waits for a place comes in as soon as somebody pushes it, although nothing else changes.
func TestPushesOneThatWaitsForAPlace(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Checks[2].MaxInMaintenance.Max = 1 })
		w.start()
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.node("w-2", "go")
		w.wait(5 * time.Minute)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-2")
		w.decide("w-2", "flatcar", v1beta1.ProfilePush, "start")
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1", "w-2")
	})
}
