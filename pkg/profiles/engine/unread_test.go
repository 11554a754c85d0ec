// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
)

// What cannot be read has its node stand still, before and after a restart: it keeps its hold and its place, whatever its
// checks say, and another profile goes on. Once it can be read again, it goes on.
func TestUnreadable(t *testing.T) {
	spec := v1beta1.NodeProfileSpec{NodeName: "w-1", Profile: "flatcar"}
	for name, lose := range map[string]func(w *world) (restore func()){
		"the NodeProfile": func(w *world) func() {
			stored := w.get("w-1", "flatcar")
			drainertest.Lose(w.Server, stored, func(lost *v1beta1.NodeProfile) { lost.Spec = spec })
			return func() { w.Replace(stored) }
		},
		"the profile": func(w *world) func() {
			stored := drainertest.Get[*v1beta1.MaintenanceProfile](w.Server, "", "flatcar")
			drainertest.Lose(w.Server, stored, func(*v1beta1.MaintenanceProfile) {})
			return func() { w.Replace(stored) }
		},
		"the hold": func(w *world) func() {
			stored := w.holdOf(spec)
			drainertest.Lose(w.Server, stored, func(lost *v1beta1.NodeMaintenance) { lost.Spec.NodeName = "w-1" })
			return func() { w.Replace(stored) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1", "go")
				w.profile("flatcar")
				w.profile("other", func(s *v1beta1.MaintenanceProfileSpec) {
					s.Nodes.Selector.MatchLabels = map[string]string{"pool": "db"}
					s.Checks[2].MaxInMaintenance.Max = 5
				})
				r := w.start()
				w.wait(time.Minute)
				w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
				before, ledger := w.get("w-1", "flatcar"), w.ledger().InMaintenance
				restore := lose(w)
				lost := w.get("w-1", "flatcar")
				w.label("w-1", "done")
				w.node("w-2", "go")
				r.stop()
				w.start()
				w.wait(10 * time.Minute)
				if held := w.holdOf(spec); held == nil || held.DeletionTimestamp != nil {
					t.Errorf("the hold is %+v, want it as it was", held)
				}
				if now := w.get("w-1", "flatcar"); !cmp.Equal(now, lost) {
					t.Errorf("the NodeProfile has changed:\n%s", cmp.Diff(lost, now))
				}
				if diff := cmp.Diff(ledger, w.ledger().InMaintenance); diff != "" {
					t.Errorf("the ledger has changed (-before +after):\n%s", diff)
				}
				if name == "the profile" {
					if other := w.get("w-2", "flatcar"); other != nil {
						t.Errorf("a profile that cannot be read was attached: %+v", other)
					}
				} else {
					w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-2")
				}
				restore()
				w.wait(2 * time.Minute)
				if now := w.get("w-1", "flatcar"); now.Status.Sequence == before.Status.Sequence || w.holdOf(spec) != nil {
					t.Errorf("the NodeProfile is %+v, with the hold %+v, want it to have gone on", now.Status, w.holdOf(spec))
				}
				w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-2")
			})
		})
	}
}

// holdOf is the hold of a profile on a node; nil if there is none.
func (w *world) holdOf(spec v1beta1.NodeProfileSpec) *v1beta1.NodeMaintenance {
	return drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", hold.Name(&v1beta1.NodeProfile{Spec: spec}))
}
