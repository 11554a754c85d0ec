// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestResolve(t *testing.T) {
	nodes := func(n int) []*corev1.Node {
		f := newFleet("")
		for range n {
			f.addNode("w", nil)
		}
		return f.Nodes
	}
	young := newFleet("aaaa")
	young.Nodes[0].CreationTimestamp = metav1.NewTime(start.Add(-9 * time.Minute))
	young.ready("w-1", false)
	for name, test := range map[string]struct {
		limit string
		nodes []*corev1.Node
		want  int
		fails bool
	}{
		"a number":                  {"3", nodes(1), 3, false},
		"zero":                      {"0", nodes(9), 0, false},
		"rounded down":              {"10%", nodes(19), 1, false},
		"exact":                     {"10%", nodes(20), 2, false},
		"at least one":              {"1%", nodes(9), 1, false},
		"of no nodes":               {"10%", nil, 1, false},
		"zero percent":              {"0%", nodes(9), 0, false},
		"all":                       {"100%", nodes(9), 9, false},
		"young and not Ready":       {"50%", young.Nodes, 1, false},
		"negative":                  {"-1", nodes(9), 0, true},
		"more than all":             {"101%", nodes(9), 0, true},
		"neither number nor share":  {"some", nodes(9), 0, true},
		"share that is not a whole": {"1.5%", nodes(9), 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(*limit(test.limit), test.nodes, start)
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("got %d, %v; want %d, error %v", got, err, test.want, test.fails)
			}
		})
	}
}

func TestRoom(t *testing.T) {
	zones := func(spec *v1beta1.MaintenancePolicySpec, each string, domains int32) {
		limited := v1beta1.TopologyLimit{Key: corev1.LabelTopologyZone}
		if each != "" {
			limited.MaxConcurrent = limit(each)
		}
		if domains > 0 {
			limited.MaxDomains = &domains
		}
		spec.Limits.Topology = []v1beta1.TopologyLimit{limited}
	}
	for name, test := range map[string]struct {
		zones string
		spec  func(*v1beta1.MaintenancePolicySpec)
		do    func(*fleet)
		holds []string
		want  []string
		// wantWait is what the last hold waits for.
		wantWait string
	}{
		"no limit": {"aaa", nil, nil, []string{"w-1", "w-2", "w-3"}, []string{"w-1", "w-2", "w-3"}, ""},
		"maxConcurrent": {
			"aaaaaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxConcurrent = limit("5") }, nil,
			[]string{"w-1", "w-2", "w-3", "w-4", "w-5", "w-6"},
			[]string{"w-1", "w-2", "w-3", "w-4", "w-5"},
			"5 of 5 nodes in maintenance (w-1, w-2, w-3 and 2 more)",
		},
		"nodes of each zone": {
			"aabb", func(s *v1beta1.MaintenancePolicySpec) { zones(s, "1", 0) }, nil,
			[]string{"w-1", "w-3", "w-2"},
			[]string{"w-1", "w-3"},
			"1 of 1 node of zone a in maintenance (w-1)",
		},
		"share of each zone": {
			"aaaabb", func(s *v1beta1.MaintenancePolicySpec) { zones(s, "50%", 0) }, nil,
			[]string{"w-1", "w-2", "w-5", "w-6"},
			[]string{"w-1", "w-2", "w-5"},
			"1 of 1 node of zone b in maintenance (w-5)",
		},
		"zones at a time": {
			"aab", func(s *v1beta1.MaintenancePolicySpec) { zones(s, "", 1) }, nil,
			[]string{"w-1", "w-2", "w-3"},
			[]string{"w-1", "w-2"},
			"1 of 1 zone in maintenance (a)",
		},
		"nodes without a zone are one": {
			"aa", func(s *v1beta1.MaintenancePolicySpec) { zones(s, "1", 0) }, func(f *fleet) { f.Nodes[0].Labels, f.Nodes[1].Labels = nil, nil },
			[]string{"w-1", "w-2"},
			[]string{"w-1"},
			"1 of 1 node without label topology.kubernetes.io/zone in maintenance (w-1)",
		},
		"no node may be unavailable": {
			"aa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("0%") }, func(f *fleet) { f.ready("w-1", false) },
			[]string{"w-1"},
			nil, "no node may be unavailable",
		},
		"cordoned by others": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("1") },
			func(f *fleet) { f.node("w-3").Spec.Unschedulable = true },
			[]string{"w-1"},
			nil, "1 of 1 node unavailable (w-3)",
		},
		"cordoned itself": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("1") },
			func(f *fleet) { f.node("w-1").Spec.Unschedulable = true },
			[]string{"w-1"},
			[]string{"w-1"},
			"",
		},
		"being deleted": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("1") },
			func(f *fleet) { f.node("w-3").DeletionTimestamp = ptr.To(metav1.NewTime(start)) },
			[]string{"w-1"},
			nil, "1 of 1 node unavailable (w-3)",
		},
		"joining": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("1") },
			func(f *fleet) {
				f.ready("w-3", false)
				f.node("w-3").CreationTimestamp = metav1.NewTime(start.Add(-9 * time.Minute))
			},
			[]string{"w-1"},
			[]string{"w-1"},
			"",
		},
		"not Ready for long": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("1") },
			func(f *fleet) {
				f.ready("w-3", false)
				f.node("w-3").CreationTimestamp = metav1.NewTime(start.Add(-10 * time.Minute))
			},
			[]string{"w-1"},
			nil, "1 of 1 node unavailable (w-3)",
		},
		"in maintenance is unavailable": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = limit("1") }, nil,
			[]string{"w-1", "w-2"},
			[]string{"w-1"},
			"1 of 1 node unavailable (w-1)",
		},
		"pace": {
			"aaa", func(s *v1beta1.MaintenancePolicySpec) {
				s.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](2), PerSeconds: ptr.To[int64](5400)}
			}, nil,
			[]string{"w-1", "w-2", "w-3"},
			[]string{"w-1", "w-2"},
			"2 of 2 starts within 1h30m, the next at 2026-11-21T13:30:00Z",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(test.zones)
			spec := f.policy("all")
			if test.spec != nil {
				test.spec(spec)
			}
			if test.do != nil {
				test.do(f)
			}
			f.holds(test.holds...)
			o := f.decide()
			wantEqual(t, "entered", entered(o), test.want)
			if test.wantWait != "" {
				test.wantWait = `policy "all": ` + test.wantWait
			}
			if got := waitsOf(o, "h-"+test.holds[len(test.holds)-1]); got != test.wantWait {
				t.Errorf("got %q, want %q", got, test.wantWait)
			}
		})
	}
}
