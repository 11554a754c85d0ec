// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/record"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

const (
	benchNodes    = 5000
	benchPolicies = 20
	benchAdmitted = 500
	benchWaiting  = 500
)

// still is a cluster that does not change.
type still struct {
	nodes []*corev1.Node
	holds []*v1beta1.NodeMaintenance
}

func (s *still) Node(name string) (*corev1.Node, error) {
	at := slices.IndexFunc(s.nodes, func(n *corev1.Node) bool { return n.Name == name })
	return s.nodes[at], nil
}

func (s *still) HasTaken(node *corev1.Node, hold *v1beta1.NodeMaintenance) bool {
	return nodemarks.Marked(node) && hold.Status.NodeBefore != nil
}

func (s *still) Nodes() ([]*corev1.Node, error) { return slices.Clone(s.nodes), nil }

func (s *still) HasInMaintenance(node *corev1.Node) bool             { return nodemarks.Marked(node) }
func (s *still) HoldsOn(string) []*v1beta1.NodeMaintenance           { return nil }
func (s *still) Holds() ([]*v1beta1.NodeMaintenance, error)          { return slices.Clone(s.holds), nil }
func (s *still) FollowNodes(func(_, _ *corev1.Node)) (func(), error) { return func() {}, nil }
func (s *still) FollowHolds(func(_, _ *v1beta1.NodeMaintenance)) (func(), error) {
	return func() {}, nil
}

// newBenchTerm is a term in a cluster of 5,000 nodes with 20 policies. 500 nodes are in maintenance, and 500 wait.
func newBenchTerm(b *testing.B) *term {
	b.Helper()
	server, cluster := drainertest.NewServer(drainertest.Hooks{}), &still{}
	for i := range benchNodes {
		name := fmt.Sprintf("w-%04d", i)
		cluster.nodes = append(cluster.nodes, drainertest.Node{Name: name, Labels: map[string]string{
			"pool": fmt.Sprintf("p%d", i%benchPolicies), "zone": fmt.Sprintf("z%d", i%3),
		}}.Object())
		if i < benchAdmitted+benchWaiting {
			cluster.holds = append(cluster.holds, drainertest.Hold{Name: name, Node: name, Created: time.Now().Add(time.Duration(i) * time.Second)}.Object())
		}
	}
	admitter, err := New(Config{Cluster: cluster, Maintenance: server.Maintenance, Kube: server.Kube, Recorder: &record.FakeRecorder{}})
	if err != nil {
		b.Fatal(err)
	}
	limit := intstr.FromInt(benchAdmitted / benchPolicies)
	for i := range benchPolicies {
		policy := &v1beta1.MaintenancePolicy{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%d", i), UID: drainertest.UID(fmt.Sprint(i)), Generation: 1},
			Spec: v1beta1.MaintenancePolicySpec{
				NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": fmt.Sprintf("p%d", i)}},
				Limits:       v1beta1.PolicyLimits{MaxConcurrent: &limit, Topology: []v1beta1.TopologyLimit{{Key: "zone", MaxConcurrent: &limit}}},
			},
		}
		server.Add(policy)
		if err := admitter.policies.GetStore().Add(policy); err != nil {
			b.Fatal(err)
		}
	}
	t, _ := admitter.newTerm(func(string) {})
	if _, err := t.decide(b.Context()); err != nil {
		b.Fatal(err)
	}
	if entries := len(t.ledger.Stored().Spec.Entries); entries != benchAdmitted {
		b.Fatalf("%d nodes are admitted, want %d", entries, benchAdmitted)
	}
	return t
}

// One decision after which nothing is to be written.
func BenchmarkDecide5000Nodes(b *testing.B) {
	t := newBenchTerm(b)
	for b.Loop() {
		if _, err := t.decide(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// One decision that changes the ledger, which is written: a second hold joins a node in maintenance, or leaves it.
func BenchmarkDecideAndWrite5000Nodes(b *testing.B) {
	t := newBenchTerm(b)
	cluster := t.config.Cluster.(*still)
	before := cluster.holds
	joined := append(slices.Clone(before), drainertest.Hold{Name: "joins", Node: "w-0000", Created: time.Now()}.Object())
	for i := 0; b.Loop(); i++ {
		cluster.holds = [][]*v1beta1.NodeMaintenance{joined, before}[i%2]
		version := t.ledger.Stored().ResourceVersion
		if _, err := t.decide(b.Context()); err != nil || t.ledger.Stored().ResourceVersion == version {
			b.Fatalf("nothing was written: %v", err)
		}
	}
	size, err := json.Marshal(t.ledger.Stored())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(size)), "ledger-bytes")
	b.ReportMetric(float64(len(size))/float64(len(t.ledger.Stored().Spec.Entries)), "bytes/entry")
}
