// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// still is a cluster in which nothing happens by itself.
type still struct {
	nodes []*corev1.Node
	holds map[string][]*v1beta1.NodeMaintenance
	// server is the API server, from guard on.
	server *drainertest.Server
}

// Node implements Cluster.
func (s *still) Node(name string) (*corev1.Node, error) {
	if at := slices.IndexFunc(s.nodes, func(n *corev1.Node) bool { return n.Name == name }); at >= 0 {
		return s.nodes[at], nil
	}
	return nil, nil
}

// Nodes implements Cluster.
func (s *still) Nodes() ([]*corev1.Node, error) { return slices.Clone(s.nodes), nil }

// HoldsOn implements Cluster.
func (s *still) HoldsOn(node string) []*v1beta1.NodeMaintenance { return s.holds[node] }

// WatchNodes implements Cluster.
func (s *still) WatchNodes(func(string)) (func(), error) { return func() {}, nil }

// controlPlane has members of these names.
func controlPlane(names ...string) *still {
	s := &still{holds: map[string][]*v1beta1.NodeMaintenance{}}
	for _, name := range names {
		s.nodes = append(s.nodes, newMember(name))
	}
	return s
}

// guard is a new Guard. The API server has the nodes as they are now.
func (s *still) guard() *Guard {
	s.server = drainertest.NewServer(drainertest.Hooks{})
	for _, node := range s.nodes {
		s.server.Add(node.DeepCopy())
	}
	return New(s, s.server.Kube, false)
}

// asks asks for a node, and returns what it waits for.
func (s *still) asks(t *testing.T, g *Guard, name string) string {
	t.Helper()
	node, _ := s.Node(name)
	verdict, err := g.Acquire(t.Context(), node, asking(s.holds[name]))
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Wait == nil {
		return ""
	}
	if verdict.Wait.Reason != v1beta1.ReasonControlPlaneQuorum || verdict.Again != askAgain {
		t.Errorf("the verdict is %+v", verdict)
	}
	return verdict.Wait.Message
}

// What is known of cp-2 decides about cp-1.
func TestWhatCountsAsOut(t *testing.T) {
	held := func(change func(*v1beta1.NodeMaintenance)) func(s *still) {
		return func(s *still) {
			s.holds["cp-2"] = []*v1beta1.NodeMaintenance{drainertest.Hold{Name: "x", Node: "cp-2", Change: change}.Object()}
		}
	}
	recorded := func(h *v1beta1.NodeMaintenance) {
		h.Status.NodeUID, h.Status.NodeBefore = drainertest.UID("cp-2"), &v1beta1.NodeBefore{}
	}
	const held2 = `(out: cp-2, held by "x" of "x")`
	tests := map[string]struct {
		meet func(s *still)
		want string
	}{
		"nothing":              {},
		"it is not ready":      {meet: func(s *still) { s.nodes[1].Status.Conditions[0].Status = corev1.ConditionUnknown }, want: "(out: cp-2, not ready)"},
		"it reports nothing":   {meet: func(s *still) { s.nodes[1].Status.Conditions = nil }, want: "(out: cp-2, not ready)"},
		"it is just cordoned":  {meet: func(s *still) { drainertest.Cordon(s.nodes[1]) }},
		"it has our taint":     {meet: func(s *still) { drainertest.Taint(v1beta1.DrainTaint)(s.nodes[1]) }, want: "(out: cp-2, in maintenance)"},
		"it has an annotation": {meet: func(s *still) { s.nodes[1].Annotations = map[string]string{v1beta1.HoldsAnnotation: ""} }, want: "(out: cp-2, in maintenance)"},
		"it is asked for":      {meet: held(nil)},
		"it is asked for, and may have passed an earlier process": {meet: held(recorded), want: held2},
		"another node of its name may have passed": {meet: held(func(h *v1beta1.NodeMaintenance) {
			recorded(h)
			h.Status.NodeUID = "other"
		})},
		"its hold overrides the quorum": {meet: held(func(h *v1beta1.NodeMaintenance) { h.Spec.OverrideQuorum = true }), want: held2},
		"its hold is idle":              {meet: held(func(h *v1beta1.NodeMaintenance) { h.Spec.OverrideQuorum, h.Spec.Stage = true, v1beta1.StageIdle })},
		"its hold waits to be admitted": {meet: held(func(h *v1beta1.NodeMaintenance) {
			h.Spec.OverrideQuorum, h.Status.Admission = true, &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}
		})},
		"it has the old role": {meet: func(s *still) {
			s.nodes[1].Labels = map[string]string{"node-role.kubernetes.io/master": ""}
			drainertest.Taint(v1beta1.DrainTaint)(s.nodes[1])
		}, want: "(out: cp-2, in maintenance)"},
		"it is no member": {meet: func(s *still) { s.nodes[1].Labels = nil }, want: "2 of 2 members"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := controlPlane("cp-1", "cp-2", "cp-3")
			if test.meet != nil {
				test.meet(s)
			}
			got := s.asks(t, s.guard(), "cp-1")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("cp-1 waits for %q, want %q", got, test.want)
			}
		})
	}
}

// What was let pass counts no more when this process has stopped to lead: another one leads meanwhile.
func TestAnswersAreForgottenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := controlPlane("cp-1", "cp-2", "cp-3")
		g := s.guard()
		ctx, cancel := context.WithCancel(t.Context())
		go g.Run(ctx, func(string) {})
		synctest.Wait()
		_ = s.asks(t, g, "cp-1")
		cancel()
		synctest.Wait()
		_, _ = g.Acquire(ctx, s.nodes[0], nil) // a worker that is late
		if wait := s.asks(t, g, "cp-2"); wait != "" {
			t.Errorf("cp-2 waits for cp-1, whose hold may have ended: %s", wait)
		}
	})
}

// Of many members asked for at once, as many pass as can be spared.
func TestManyAtOnce(t *testing.T) {
	s := controlPlane("cp-1", "cp-2", "cp-3", "cp-4", "cp-5", "cp-6", "cp-7")
	g := s.guard()
	var passed atomic.Int32
	var asking sync.WaitGroup
	for _, node := range s.nodes {
		asking.Go(func() {
			if verdict, err := g.Acquire(t.Context(), node, nil); err == nil && verdict.Wait == nil {
				passed.Add(1)
			}
		})
	}
	asking.Wait()
	if passed.Load() != 3 {
		t.Errorf("%d of 7 passed, want 3", passed.Load())
	}
}

// On OpenShift etcd must agree, too; the reason with the numbers comes first.
func TestOpenShiftMustAgree(t *testing.T) {
	server := drainertest.NewServer(drainertest.Hooks{})
	server.Add(etcdBudget("etcd-guard-pdb", 0), guardPod("guard", "cp-1", corev1.ConditionTrue))
	s := controlPlane("cp-1", "cp-2", "cp-3")
	g := New(s, server.Kube, true)
	const want = "control plane: node cp-1 waits: etcd would lose its quorum: the disruption budget openshift-etcd/etcd-guard-pdb " +
		"allows 0 disruptions, and its pod guard-cp-1 on the node is healthy; it is taken as soon as etcd can spare it; " +
		"to take it all the same, set spec.overrideQuorum, which requires the verb overridequorum on nodes/maintenance"
	if got := s.asks(t, g, "cp-1"); got != want {
		t.Errorf("cp-1 waits for\n%s\nwant\n%s", got, want)
	}
	s.nodes[1].Status.Conditions[0].Status = corev1.ConditionFalse
	if got := s.asks(t, g, "cp-1"); !strings.Contains(got, "2 of 3 members") {
		t.Errorf("cp-1 waits for %q, want the numbers", got)
	}
	if got := s.asks(t, g, "cp-2"); got != "" {
		t.Errorf("cp-2, which failed, waits for %s", got)
	}
	server.Inject(drainertest.Failing("list", "pods", drainertest.NotYou("pods")))
	if verdict, err := g.Acquire(t.Context(), s.nodes[0], nil); err == nil || verdict.Wait != nil {
		t.Errorf("got %+v, %v while etcd cannot be read, want an error", verdict, err)
	}
}
