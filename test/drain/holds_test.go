// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"strings"
	"testing"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const mastersGroup = "system:masters"

func TestSeveralHoldsShareOneDrain(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.rolling(4))
	first := p.Create(t, p.Hold("first", node))
	second, err := p.MaintenanceAs(t, "alice", mastersGroup).MaintenanceV1beta1().NodeMaintenances().
		Create(t.Context(), p.Hold("second", node), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first = p.WaitForHold(t, first.Name, "drained for the first hold", succeeded)
	second = p.WaitForHold(t, second.Name, "drained for the second hold", succeeded)
	if first.Spec.Requestor != "admin" || second.Spec.Requestor != "alice" {
		t.Errorf("the requestors are %q and %q, want admin and alice", first.Spec.Requestor, second.Spec.Requestor)
	}
	wantBefore := &v1beta1.NodeBefore{AddedTaints: []string{v1beta1.DrainTaint + ":NoSchedule"}}
	for _, hold := range []*v1beta1.NodeMaintenance{first, second} {
		if !apiequality.Semantic.DeepEqual(hold.Status.NodeBefore, wantBefore) {
			t.Errorf("hold %s has nodeBefore %+v, want %+v", hold.Name, hold.Status.NodeBefore, wantBefore)
		}
	}
	if evicted := len(p.evicted(t)); evicted != 4 {
		t.Errorf("%d pods were evicted, want 4", evicted)
	}

	later := p.drain(t, "later", node)
	if s := later.Status; ptr.Deref(s.DrainProgress, 0) != 100 || s.EvictionPods != 0 || !apiequality.Semantic.DeepEqual(s.NodeBefore, wantBefore) {
		t.Errorf("a hold on a drained node has status %+v", s)
	}
	p.Delete(t, first.Name)
	p.Delete(t, later.Name)
	p.wantHeld(t, node)
	if note := p.Node(t, node).Annotations[v1beta1.HoldsAnnotation]; !strings.Contains(note, "alice") || strings.Contains(note, first.Name) {
		t.Errorf("the annotation of the node names other holds than the one that is left: %s", note)
	}
	p.WaitForHold(t, second.Name, "still drained for the hold that is left", succeeded)
	p.Delete(t, second.Name)
	p.wantGivenBack(t, node)
}

func TestEachHoldIsJudgedAsIfAlone(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	p.Run(t, p.workload().Pod("free", localcluster.OnNode(node)))
	all := p.Hold("all", node)
	all.Spec.Drain.TimeoutSeconds = new(int64(1))
	p.Create(t, all)
	p.WaitForHold(t, all.Name, "hold on all pods is late", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.Phase == v1beta1.PhaseFailed && nm.Status.BlockedPodCount == 1 && nm.Status.PendingPodCount == 1
	})
	free := p.Hold("free", node)
	free.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{localcluster.AppLabel: "free"}}
	p.Create(t, free)
	done := p.WaitForHold(t, free.Name, "hold on the free pod is done", succeeded)
	if s := done.Status; s.BlockedPodCount != 0 || s.Deadline != nil || condition(done, v1beta1.ConditionDrained).Reason != v1beta1.ReasonNoPodSelected {
		t.Errorf("the hold on the free pod has status %+v", s)
	}
	p.wantApps(t, node, map[string]int{"kept": 1})
}

func TestDeletingOneHoldLeavesTheNodeToTheOther(t *testing.T) {
	t.Parallel()
	tests := map[string]func(other *v1beta1.NodeMaintenance){
		"which cordons": func(other *v1beta1.NodeMaintenance) { other.Spec.Stage = v1beta1.StageCordon },
		"which drains other pods": func(other *v1beta1.NodeMaintenance) {
			other.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{localcluster.AppLabel: "others"}}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, 1)
			node := p.Nodes[0]
			p.blockedPod(t, "kept", node)
			other := p.Hold("other", node)
			change(other)
			p.Create(t, other)
			drain := p.Create(t, p.Hold("drain", node))
			p.WaitForHold(t, drain.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == 1 })

			out := p.Kubectl().Try(t, "", "delete", "nodemaintenance", drain.Name, "--timeout="+env.Timeout.String())
			if out.Code != 0 || !strings.Contains(out.Stderr, other.Name) {
				t.Errorf("kubectl delete: exit code %d, stderr %q; want 0, and a warning that names %s", out.Code, out.Stderr, other.Name)
			}
			p.wantHeld(t, node)
			p.deleteBudget(t, "kept")
			p.staysOn(t, node, "kept")
		})
	}
}
