// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// The size of the benchmarks.
const (
	benchNodes    = 5000
	benchProfiles = 5
)

// benchWorld is 5,000 nodes with 5 profiles each, that ask for everything.
func benchWorld() (*Aggregate, []*corev1.Node, []*v1beta1.MaintenanceProfile) {
	a := New()
	var profiles []*v1beta1.MaintenanceProfile
	for i := range benchProfiles {
		profiles = append(profiles, newProfile(fmt.Sprint("p", i), labelCheck, conditionCheck, expressionCheck, anyCheck, countCheck,
			versionCheck, scopedCheck, roomCheck, groupCheck))
		a.SetProfile(profiles[i])
	}
	nodes := make([]*corev1.Node, benchNodes)
	for i := range nodes {
		nodes[i] = newNode(fmt.Sprintf("w-%04d", i), has(fmt.Sprintf("1.%d.0", i%3)))
		nodes[i].Status.Conditions = []corev1.NodeCondition{{Type: "Ready", Status: "True"}}
		a.SetNode(nodes[i])
		for _, p := range profiles {
			a.SetNodeProfile(onNode(nodes[i].Name, p.Name, states[i%3]))
		}
	}
	return a, nodes, profiles
}

// BenchmarkHeartbeat is a report of a kubelet that changes nothing.
func BenchmarkHeartbeat(b *testing.B) {
	a, nodes, _ := benchWorld()
	for i := 0; b.Loop(); i++ {
		node := *nodes[i%benchNodes]
		if woken := a.SetNode(&node); len(woken) > 0 {
			b.Fatal(woken)
		}
	}
}

// BenchmarkLabel is a node whose label changes, of 5,000, while no answer of the others flips.
func BenchmarkLabel(b *testing.B) {
	a, nodes, _ := benchWorld()
	for i := 0; b.Loop(); i++ {
		node := *nodes[1+i%(benchNodes-1)]
		node.Labels = has(fmt.Sprintf("1.%d.0", i%3))
		if woken := a.SetNode(&node); len(woken) > benchProfiles {
			b.Fatal(len(woken))
		}
	}
}

// BenchmarkEvaluate is an evaluation of all checks of a node.
func BenchmarkEvaluate(b *testing.B) {
	a, nodes, profiles := benchWorld()
	var compiled evaluation.Cache
	for i := 0; b.Loop(); i++ {
		node := nodes[i%benchNodes]
		a.View(func(c evaluation.Cluster) {
			compiled.Evaluate(evaluation.Facts{
				Profile: profiles[i%benchProfiles], Node: node, Cluster: c,
				NodeProfile: onNode(node.Name, profiles[i%benchProfiles].Name, v1beta1.ProfileMaintenanceRequired),
			})
		})
	}
}

// BenchmarkFill fills an aggregate, and says how much memory it takes beside the objects.
func BenchmarkFill(b *testing.B) {
	for b.Loop() {
		a, nodes, profiles := benchWorld()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		again := New()
		for _, p := range profiles {
			again.SetProfile(p)
		}
		for _, n := range nodes {
			again.SetNode(n)
			for _, p := range profiles {
				again.SetNodeProfile(a.profiles[p.Name].members[n.Name])
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
		runtime.KeepAlive(again)
		runtime.KeepAlive(a)
	}
}
