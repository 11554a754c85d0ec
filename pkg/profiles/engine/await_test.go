// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/aggregate"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// realChecks has a process evaluate checks as the product does.
func realChecks(c *Config) {
	cache := &evaluation.Cache{}
	c.Evaluate, c.NewCluster = cache.Evaluate, func() Cluster { return aggregate.New() }
}

// startIf has a chain lead into maintenance, with one check more.
func startIf(chain string, check v1beta1.ProfileCheck) func(*v1beta1.MaintenanceProfileSpec) {
	return func(spec *v1beta1.MaintenanceProfileSpec) {
		spec.Checks = append(spec.Checks, check)
		spec.States.MaintenanceRequired.Transitions[0].Check = chain
	}
}

// A place that becomes free by time alone goes to the next node that waits for it, however many others wait for places
// that stay taken.
func TestPlacesThatAreFreeByTimeAlone(t *testing.T) {
	tests := map[string]struct{ check v1beta1.ProfileCheck }{
		"stagger": {v1beta1.ProfileCheck{Stagger: &v1beta1.StaggerCheck{Pool: "q", Seconds: 30}}},
		"maxInMaintenance with skipAfterSeconds": {v1beta1.ProfileCheck{MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{
			Max: 1, Profile: "flatcar", SkipAfterSeconds: ptr.To[int64](30),
		}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 0, func(w *world) {
				for i := range 12 {
					w.node(fmt.Sprintf("b-%02d", i), "go", "blocked")
				}
				for _, node := range []string{"w-1", "w-2", "w-3"} {
					w.node(node, "go", "free")
				}
				blocked := v1beta1.ProfileCheck{Name: "more", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1, Profile: "others"}}
				w.profile("others", startIf("go && more", blocked), only("blocked"))
				test.check.Name = "more"
				w.profile("flatcar", startIf("go && more", test.check), only("free"))
				w.start(realChecks)
				w.wait(20 * time.Second)
				for want := 1; want <= 3; want++ {
					if got := len(w.ledger().InMaintenance); got != want+1 { // one of the others
						t.Errorf("%d nodes are in maintenance, want %d", got, want+1)
					}
					w.wait(30 * time.Second)
				}
			})
		})
	}
}

// only selects the nodes with a label.
func only(label string) func(*v1beta1.MaintenanceProfileSpec) {
	return func(spec *v1beta1.MaintenanceProfileSpec) {
		spec.Nodes = v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{label: ""}}}
	}
}

// A node in maintenance that comes into another zone makes room in its old one.
func TestPlacesThatAreFreeByALabel(t *testing.T) {
	inWorld(t, 0, func(w *world) {
		zone := func(node, zone string) {
			drainertest.Change(w.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, func(n *corev1.Node) { n.Labels["zone"] = zone })
		}
		for _, node := range []string{"w-1", "w-2"} {
			w.node(node, "go")
			zone(node, "a")
		}
		w.profile("flatcar", startIf("go && inZone", v1beta1.ProfileCheck{
			Name: "inZone", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1, GroupBy: []string{"zone"}},
		}))
		w.start(realChecks)
		w.wait(10 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-2")
		zone("w-1", "b")
		w.wait(10 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1", "w-2")
	})
}

// All that wait say why, however many they are.
func TestAllThatWaitSayWhy(t *testing.T) {
	inWorld(t, 0, func(w *world) {
		for i := range 3 * firstPlaces {
			w.node(fmt.Sprintf("w-%02d", i), "go")
		}
		w.profile("flatcar", startIf("go && more", v1beta1.ProfileCheck{
			Name: "more", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1},
		}))
		w.start(realChecks)
		w.wait(2 * wordsInterval)
		for i := range 3 * firstPlaces {
			status := w.get(fmt.Sprintf("w-%02d", i), "flatcar").Status
			if status.State == v1beta1.ProfileMaintenanceRequired && !strings.HasSuffix(status.WaitingFor, "more: 1 of 1 node in maintenance (w-00)") {
				t.Errorf("w-%02d waits for %q", i, status.WaitingFor)
			}
		}
	})
}
