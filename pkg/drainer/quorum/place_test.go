// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// wantWait asks for a node, and wants it to wait for what is said; empty: to pass.
func (s *still) wantWait(t *testing.T, g *Guard, name, want string) {
	t.Helper()
	if got := s.asks(t, g, name); (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s waits for %q, want %q", name, got, want)
	}
}

// A node that was let pass counts as out for the others while another gate has it wait. They are woken when it is
// released.
func TestPlaceIsKeptUntilReleased(t *testing.T) {
	s := controlPlane(three...)
	g := s.guard()
	var woken []string
	g.setWake(func(node string) { woken = append(woken, node) })
	s.wantWait(t, g, "cp-1", "")
	s.wantWait(t, g, "cp-2", "(out: cp-1, in maintenance)")
	s.wantWait(t, g, "cp-1", "")
	if err := g.Release(t.Context(), "cp-1"); err != nil || !slices.Equal(woken, []string{"cp-2"}) {
		t.Errorf("the release woke %v, %v, want cp-2", woken, err)
	}
	s.wantWait(t, g, "cp-2", "")
}

// What was decided before another gate had the node wait may be wrong by now.
func TestPassedNodeIsDecidedAgainUntilItIsCordoned(t *testing.T) {
	s := controlPlane(three...)
	g := s.guard()
	s.wantWait(t, g, "cp-1", "")
	s.nodes[2].Status.Conditions[0].Status = corev1.ConditionFalse
	s.wantWait(t, g, "cp-1", "(out: cp-3, not ready)")
	s.nodes[2].Status.Conditions[0].Status = corev1.ConditionTrue
	s.wantWait(t, g, "cp-1", "")
	drainertest.Taint(v1beta1.DrainTaint)(s.nodes[0])
	s.nodes[2].Status.Conditions[0].Status = corev1.ConditionFalse
	s.wantWait(t, g, "cp-1", "")
}

// Nodes that passed and wait at another gate do not have each other wait for ever.
func TestPassedNodesDoNotBlockEachOther(t *testing.T) {
	s := controlPlane("cp-1", "cp-2", "cp-3", "cp-4", "cp-5")
	g := s.guard()
	s.wantWait(t, g, "cp-1", "")
	s.wantWait(t, g, "cp-2", "")
	s.nodes[4].Status.Conditions[0].Status = corev1.ConditionFalse
	s.wantWait(t, g, "cp-1", "(out: cp-2, in maintenance; cp-5, not ready)")
	s.wantWait(t, g, "cp-2", "")
}

// The cordon that an earlier process has sent counts, also while the caches do not show it yet.
func TestCordonOfAnEarlierProcess(t *testing.T) {
	s := controlPlane(three...)
	for _, node := range []string{"cp-1", "cp-2"} {
		s.holds[node] = []*v1beta1.NodeMaintenance{drainertest.Hold{Name: node, Node: node, Change: func(h *v1beta1.NodeMaintenance) {
			h.Status.NodeUID, h.Status.NodeBefore = drainertest.UID(node), &v1beta1.NodeBefore{}
		}}.Object()}
	}
	g := s.guard()
	s.cordonUnseen("cp-1")
	s.wantWait(t, g, "cp-1", "")
	s.wantWait(t, g, "cp-2", `(out: cp-1, held by "cp-1" of "cp-1")`)
}

// So does a cordon of this process whose answer was lost.
func TestCordonWhoseAnswerWasLost(t *testing.T) {
	s := controlPlane(three...)
	g := s.guard()
	s.wantWait(t, g, "cp-1", "")
	s.cordonUnseen("cp-1")
	s.nodes[2].Status.Conditions[0].Status = corev1.ConditionFalse
	s.wantWait(t, g, "cp-1", "")
	s.wantWait(t, g, "cp-2", "(out: cp-1, in maintenance; cp-3, not ready)")
}

// cordonUnseen has the API server cordon a node, which the caches do not show.
func (s *still) cordonUnseen(name string) {
	drainertest.Change(s.server, drainertest.Get[*corev1.Node](s.server, "", name), drainertest.Taint(v1beta1.DrainTaint))
}

// While it is not known whether a cordon is under way, nothing is decided.
func TestNodeThatCannotBeRead(t *testing.T) {
	server := drainertest.NewServer(drainertest.Hooks{})
	server.Inject(drainertest.Failing("get", "nodes", drainertest.NotYou("nodes")))
	s := controlPlane(three...)
	verdict, err := New(s, server.Kube, false).Acquire(t.Context(), s.nodes[0], nil)
	if verdict.Wait != nil || err == nil || !strings.Contains(err.Error(), "could not read whether node cp-1 is cordoned") {
		t.Errorf("got %+v, %v, want an error", verdict, err)
	}
}
