// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestNodeThatDoesNotExistIsTakenWhenItAppears(t *testing.T) {
	t.Parallel()
	p := newPool(t, 0)
	node := p.Name + "-1" // as addNode will call it
	out := p.Kubectl().Try(t, "apiVersion: maintenance.medik8s.io/v1beta1\nkind: NodeMaintenance\n"+
		"metadata: {name: "+p.Name+"-a}\nspec: {nodeName: "+node+"}\n", "create", "-f", "-")
	if out.Code != 0 || !strings.Contains(out.Stderr, "Warning: node \""+node+"\" does not exist") {
		t.Errorf("kubectl create: exit code %d, stderr %q; want 0 and a warning", out.Code, out.Stderr)
	}
	hold := p.WaitForHold(t, p.Name+"-a", "node not found", func(nm *v1beta1.NodeMaintenance) bool {
		return condition(nm, v1beta1.ConditionCordoned).Reason == v1beta1.ReasonNodeNotFound
	})
	if c := condition(hold, v1beta1.ConditionDrained); hold.Status.Phase != v1beta1.PhasePending || c.Status != "False" || c.Reason != v1beta1.ReasonNodeNotFound {
		t.Errorf("phase %s, Drained %+v; want Pending and False", hold.Status.Phase, c)
	}
	p.waitForEvent(t, kindHold, hold.Name, "NodeNotFound", node)
	if table := p.Kubectl().Must(t, "", "get", "nm", hold.Name, "-o", "wide"); !strings.Contains(table, "NodeNotFound") {
		t.Errorf("the table does not say that the node does not exist:\n%s", table)
	}

	p.addNode(t)
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	p.wantHeld(t, node)
	p.Delete(t, hold.Name)
	p.wantGivenBack(t, node)
}

func TestHoldOnMissingNodeCanBeDeleted(t *testing.T) {
	t.Parallel()
	p := newPool(t, 0)
	hold := p.Create(t, p.Hold("a", p.Name+"-1"))
	p.Delete(t, hold.Name)
}

func TestNodeDeletedDuringMaintenance(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.blockedPod(t, "kept", node)
	hold := p.Create(t, p.Hold("a", node))
	p.WaitForHold(t, hold.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == 1 })

	p.deleteNode(t, node)
	gone := p.WaitForHold(t, hold.Name, "node deleted", func(nm *v1beta1.NodeMaintenance) bool {
		return condition(nm, v1beta1.ConditionCordoned).Reason == v1beta1.ReasonNodeDeleted
	})
	if s := gone.Status; s.Phase != v1beta1.PhasePending || s.StartTime != nil || s.BlockedPodCount != 0 || s.PendingPodCount != 0 {
		t.Errorf("status %+v, want one without a drain", s)
	}
	p.waitForEvent(t, kindHold, hold.Name, "NodeDeleted", node)
	p.Delete(t, hold.Name)
}

// The pods of a deleted node outlive it for a while, and are there when a node
// of the same name joins.
func TestReplacedNodeIsDrainedAnew(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.patchNode(t, node, `{"spec":{"unschedulable":true}}`)
	first := p.drain(t, "a", node)
	if first.Status.NodeBefore == nil || !first.Status.NodeBefore.Unschedulable {
		t.Fatalf("nodeBefore is %+v, want it cordoned", first.Status.NodeBefore)
	}

	p.deleteNode(t, node)
	p.addNode(t)
	p.apply(t, p.workload().Pod("late", localcluster.OnNode(node)))
	second := p.WaitForHold(t, first.Name, "new node drained", func(nm *v1beta1.NodeMaintenance) bool {
		return succeeded(nm) && nm.Status.NodeUID == p.Node(t, node).UID && len(p.apps(t, node)) == 0
	})
	if second.Status.NodeUID == first.Status.NodeUID {
		t.Error("the status still speaks of the old node")
	}
	if second.Status.NodeBefore == nil || second.Status.NodeBefore.Unschedulable {
		t.Errorf("nodeBefore is %+v, want that of the new node, which was not cordoned", second.Status.NodeBefore)
	}
	p.waitForEvent(t, kindHold, first.Name, "NodeReplaced", node)
	p.waitForEvent(t, kindNode, node, "NodeReplaced", first.Name)
	p.wantHeld(t, node)
	p.Delete(t, first.Name)
	p.wantGivenBack(t, node)
}

// addNode adds, or adds again, the pool's first node.
func (p *pool) addNode(t *testing.T) {
	t.Helper()
	options := localcluster.NodeOptions{Count: 1, NamePrefix: p.Name + "-", Labels: map[string]string{env.PoolLabel: p.Name}}
	if err := p.Cluster.AddNodes(t.Context(), options); err != nil {
		t.Fatalf("could not add a node: %v", err)
	}
	if node := p.Name + "-1"; len(p.Nodes) == 0 {
		p.Nodes = append(p.Nodes, node)
	}
}

func (p *pool) deleteNode(t *testing.T, name string) {
	t.Helper()
	nodes := p.Kube.CoreV1().Nodes()
	if err := nodes.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete node %s: %v", name, err)
	}
	env.Eventually(t, "deleted node is gone", func(ctx context.Context) string {
		if _, err := nodes.Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return "it is there still"
		}
		return ""
	})
}
