// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// BenchmarkDecide measures one decision, side by side for a small fleet and a large one. Each policy has every kind of
// limit. In overlapping, every policy selects every node. In starting, all holds start at once, which is the first
// decision after they were created. In covered and frozen, the schedule of one policy is as large as
// may be, and takes long to look ahead.
func BenchmarkDecide(b *testing.B) {
	for name, size := range map[string]fleetSize{
		"small":       {nodes: 50, policies: 2, held: 3, waiting: 20},
		"large":       {nodes: 5000, policies: 20, held: 100, waiting: 500},
		"overlapping": {nodes: 5000, policies: 20, held: 100, waiting: 500, overlapping: true},
		"starting":    {nodes: 5000, policies: 20, waiting: 500, unlimited: true},
		"covered":     {nodes: 5000, policies: 20, held: 100, waiting: 500, schedule: covered()},
		"frozen":      {nodes: 5000, policies: 20, held: 100, waiting: 500, schedule: tightlyFrozen()},
	} {
		b.Run(name, func(b *testing.B) {
			f := size.fleet()
			if o := f.Decide(); !size.unlimited && len(o.Policies["p-00"].Queue) == 0 {
				b.Fatal("nothing waits")
			}
			b.ReportAllocs()
			for b.Loop() {
				f.Decide()
			}
		})
	}
}

// Decide decides, and throws the outcome away.
func (f *fleet) Decide() Outcome { return f.decider.Decide(f.Facts) }

type fleetSize struct {
	nodes, policies, held, waiting int
	overlapping, unlimited         bool
	// schedule is that of the first policy, which half of the holds wait for then, each with a spec.notBefore of its own;
	// nil: there is no such policy.
	schedule *v1beta1.PolicySchedule
}

func (s fleetSize) fleet() *fleet {
	f := newFleet("")
	for i := range s.nodes {
		f.addNode(fmt.Sprintf("node-%04d", i), map[string]string{
			corev1.LabelTopologyZone: string('a' + rune(i%3)), corev1.LabelHostname: fmt.Sprint(i), "pool": fmt.Sprint(i % s.policies),
			"rack": fmt.Sprint(i % 100), "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "node.kubernetes.io/instance-type": "m5",
		})
	}
	for i := range s.held {
		f.hold(fmt.Sprintf("held-%04d", i), fmt.Sprintf("node-%04d", i))
	}
	f.decide()
	for i := range s.policies {
		s.policy(f, i)
	}
	for _, h := range f.Holds {
		f.take(h)
	}
	f.decide()
	for i := range s.waiting {
		node := fmt.Sprintf("node-%04d", s.held+i)
		f.hold(fmt.Sprintf("wait-%04d", i), node)
		f.Pods[node] = PodLoad{
			Evictable: i % 30,
			Budgets:   map[types.NamespacedName]int{{Namespace: "web", Name: fmt.Sprint(i % 40)}: 1, {Namespace: "db", Name: fmt.Sprint(i % 7)}: 1},
		}
	}
	f.pass(2 * time.Hour)
	if s.schedule != nil {
		s.crowdFirst(f)
	}
	return f
}

// crowdFirst has half of the holds wait for the first policy, too.
func (s fleetSize) crowdFirst(f *fleet) {
	f.Policies[0].Spec = v1beta1.MaintenancePolicySpec{
		NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/arch": "amd64"}}, Schedule: s.schedule,
	}
	for i, h := range f.Holds[s.held:] {
		if i%2 == 0 {
			h.Spec.NotBefore = &metav1.Time{Time: f.Now.Add(time.Duration(i) * 2 * time.Hour)}
		}
	}
}

func (s fleetSize) policy(f *fleet, i int) {
	spec := f.policy(fmt.Sprintf("p-%02d", i))
	if !s.overlapping {
		spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": fmt.Sprint(i)}}
	}
	spec.Schedule = &v1beta1.PolicySchedule{TimeZone: "Europe/Berlin", Windows: []v1beta1.PolicyWindow{
		{Name: "night", Weekly: &v1beta1.WeeklyTime{Start: "08:00", End: "20:00"}},
	}}
	if s.unlimited {
		return
	}
	spec.Limits = v1beta1.PolicyLimits{
		MaxConcurrent: limit("1%"), MaxUnavailable: limit("10%"),
		Topology: []v1beta1.TopologyLimit{{Key: corev1.LabelTopologyZone, MaxConcurrent: limit("1%"), MaxDomains: ptr.To[int32](1)}, {Key: "rack", MaxConcurrent: limit("1")}},
	}
	spec.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](50), PerSeconds: ptr.To[int64](3600), SoakSeconds: 600}
}

// TestBenchmarkWaits makes sure that the benchmark measures what it says: holds that wait for room.
func TestBenchmarkWaits(t *testing.T) {
	o := (fleetSize{nodes: 200, policies: 4, held: 12, waiting: 40}).fleet().Decide()
	if waits := waitsOf(o, "wait-0039"); !strings.Contains(waits, "in maintenance") {
		t.Errorf("got %q, want that it waits for room", waits)
	}
}
