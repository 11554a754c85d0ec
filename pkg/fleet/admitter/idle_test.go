// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// Holds wait, and kubelets report that they live. Nothing is decided then but once a minute, if time may change something.
func TestWaitingHoldsCostNothing(t *testing.T) {
	later := metav1.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		change func(*v1beta1.MaintenancePolicySpec)
		// want is how often it is decided in ten minutes.
		want int64
	}{
		"no room": {maxConcurrent(0), 0},
		"paused":  {func(spec *v1beta1.MaintenancePolicySpec) { spec.Paused = true }, 0},
		"closed, and opens at night": {func(spec *v1beta1.MaintenancePolicySpec) {
			spec.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{
				{Name: "night", Weekly: &v1beta1.WeeklyTime{Start: "22:00", End: "23:00"}},
			}}
		}, 10},
		"closed, and does not open soon": {func(spec *v1beta1.MaintenancePolicySpec) {
			spec.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{
				{Name: "once", From: &later, Until: &metav1.Time{Time: later.Add(time.Hour)}},
			}}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 0, func(w *world) {
				w.nodes(20)
				w.policy("workers", tc.change)
				w.holds(20)
				var decisions atomic.Int64
				w.start(func(config *Config) {
					decider := new(decision.Decider)
					config.Decide = func(facts decision.Facts) decision.Outcome {
						decisions.Add(1)
						return decider.Decide(facts)
					}
				})
				w.wait(10 * time.Second)
				before := decisions.Load()
				for range 60 {
					w.heartbeats(20)
					w.wait(10 * time.Second)
				}
				if got := decisions.Load() - before; got != tc.want {
					t.Errorf("it was decided %d times in ten minutes, want %d", got, tc.want)
				}
			})
		})
	}
}

// heartbeats has the kubelets of the nodes w-1 and so on report that they live.
func (w *world) heartbeats(count int) {
	for i := range count {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("w-%d", i+1)}}
		drainertest.Change(w.Server, node, func(n *corev1.Node) {
			for i := range n.Status.Conditions {
				n.Status.Conditions[i].LastHeartbeatTime = metav1.Now()
			}
		})
	}
}
