// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// One POST takes a node out of service and one DELETE gives it back; kubectl shows all of it.
func TestNodeOverItsOwnURL(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	node := pool.Nodes[0]
	pool.Kubectl().Must(t, "", "cordon", pool.Nodes[1])
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("web", 2, pool.Selector()).Budget("web", localcluster.MaxUnavailable("1")).
		Pod("alone", localcluster.OnNode(node), localcluster.EmptyDir()))
	pool.Kubectl().Must(t, "", "uncordon", pool.Nodes[1])
	kubectl := pool.Kubectl()
	raw := nodesPath + "/" + node + "/maintenance"

	plan := kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node, "--subresource=drainplan", "-o", "wide")
	wantContains(t, "plan", plan, "POD", "ACTION", "TURN", "GRACE", "BLOCKED BY", pool.Name+"/alone", "Evict", "PodDisruptionBudget "+pool.Name+"/web",
		pool.Name+"/web: 1 allowed, 2 of 2 healthy, 1 needed")
	sorted := strings.TrimSpace(kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node, "--subresource=drainplan", "--sort-by=.status.unmanagedPods[0]"))
	if last := sorted[strings.LastIndex(sorted, "\n")+1:]; !strings.HasPrefix(last, pool.Name+"/alone ") {
		t.Errorf("the only unmanaged pod is not the last one of the plan that is sorted by them:\n%s", sorted)
	}
	out := kubectl.Must(t, `{"spec":{"reason":"new disk"}}`, "create", "--raw", raw, "-f", "-")
	wantContains(t, "answer", out, `"nodeName":"`+node+`"`, `"requestor":"admin"`)
	env.Eventually(t, "the node is drained", func(context.Context) string {
		return lacks(kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node), "Drained")
	})
	wantContains(t, "state", kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node),
		"NODE", "STATE", "PROGRESS", "HOLDS", "REQUESTORS", "SINCE", node, "100%", "1", "admin")
	wantContains(t, "holds", kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node, "--subresource=maintenance"), "PHASE", "Succeeded", "new disk")
	wantContains(t, "selected", kubectl.Must(t, "", "get", "nodestate", "-l", "kubernetes.io/hostname="+node, "--field-selector=status.state=Drained"), node)
	if core := kubectl.Must(t, "", "get", "nodes", node); !strings.Contains(core, "Ready,SchedulingDisabled") || strings.Contains(core, "STATE") {
		t.Errorf("kubectl get nodes is not the cluster's own:\n%s", core)
	}
	if core := kubectl.Must(t, "", "get", "node", node, "-o", "name"); core != "node/"+node+"\n" {
		t.Errorf("kubectl get node is not the cluster's own: %s", core)
	}
	kubectl.Must(t, "", "delete", "--raw", raw)
	env.Eventually(t, "the node is back", func(context.Context) string {
		return lacks(kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node), "InService")
	})
	if pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node was not given back")
	}
}

// The generated client has methods for it.
func TestNodeWithTheGeneratedClient(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	nodes := pool.Maintenance.MaintenanceV1beta1().NodeStates()
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageCordon, Reason: "test"}}
	created, err := nodes.CreateMaintenance(t.Context(), pool.Nodes[0], hold, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	holds, err := nodes.GetMaintenance(t.Context(), pool.Nodes[0], metav1.GetOptions{})
	if err != nil || len(holds.Items) != 1 || holds.Items[0].Name != created.Name {
		t.Errorf("got %v (error %v), want %s", holds, err, created.Name)
	}
	env.Eventually(t, "the node is cordoned", func(ctx context.Context) string {
		state, err := nodes.Get(ctx, pool.Nodes[0], metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if state.Status.State != v1beta1.NodeCordoned {
			return string(state.Status.State)
		}
		return ""
	})
	plan, err := nodes.GetDrainPlan(t.Context(), pool.Nodes[0], metav1.GetOptions{})
	if err != nil || plan.Name != pool.Nodes[0] {
		t.Errorf("got plan %v (error %v)", plan, err)
	}
	plan, err = nodes.PlanDrain(t.Context(), pool.Nodes[0], v1beta1.DrainPlanOptions{PodSelector: "app=web"})
	if err != nil || plan.Spec.PodSelector == nil || plan.Spec.PodSelector.MatchLabels["app"] != "web" {
		t.Errorf("got plan %v (error %v)", plan, err)
	}
	if _, err = nodes.PlanDrain(t.Context(), pool.Nodes[0], v1beta1.DrainPlanOptions{Hold: created.Name}); err != nil {
		t.Errorf("could not plan the drain of %s: %v", created.Name, err)
	}
	list, err := nodes.List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil || len(list.Items) != 1 || list.ResourceVersion == "" {
		t.Errorf("got list %v (error %v)", list, err)
	}
}

// A policy about nodemaintenances also sees what is created through a node.
func TestPolicySeesWhatIsCreatedThroughANode(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	enforce(t, pool, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: pool.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: matching("maintenance.medik8s.io", "v1beta1", "nodemaintenances", admissionregistrationv1.Create),
			MatchConditions:  []admissionregistrationv1.MatchCondition{{Name: "ours", Expression: `object.spec.nodeName == "` + pool.Nodes[0] + `"`}},
			Validations: []admissionregistrationv1.Validation{{
				Expression: `has(object.spec.reason) && request.name.startsWith(object.spec.nodeName)`, Message: "say why",
			}},
		},
	})
	path := nodesPath + "/" + pool.Nodes[0] + "/maintenance"
	var refused answer
	env.Eventually(t, "a create that breaks the policy is refused", func(context.Context) string {
		if refused = admin(t).do(t, http.MethodPost, path+"?dryRun=All", asJSON, `{}`); refused.code == http.StatusCreated {
			return "created"
		}
		return ""
	})
	wantContains(t, "refusal", refused.want(t, http.StatusUnprocessableEntity).status(t).Message, "say why")
	admin(t).do(t, http.MethodPost, path, asJSON, `{"spec":{"stage":"Idle","reason":"new disk"}}`).want(t, http.StatusCreated)
}

// A forgotten hold ends by itself, and says so before, on the node too: in the last fifth of its time, so that must not be
// short.
func TestExpiration(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node, name := pool.Nodes[0], pool.Name+"-a"
	pool.Kubectl().Must(t, manifest(name, `{"nodeName":"`+node+`","expirationSeconds":60}`), "create", "-f", "-")
	pool.Kubectl().Must(t, "", "wait", "--for=condition=Expiring", "nm/"+name, "--timeout="+env.Timeout.String())
	refused := admin(t).do(t, http.MethodPatch, collection+"/"+name, asMergePatch, `{"spec":{"expirationSeconds":2}}`).want(t, http.StatusUnprocessableEntity)
	refused.wantCauses(t, "spec.expirationSeconds")
	pool.Kubectl().Must(t, "", "wait", "--for=delete", "nm/"+name, "--timeout="+env.Timeout.String())
	if pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node was not given back")
	}
	wantEvents(t, "events of the node", pool.Kubectl(), []string{"describe", "node", node},
		"MaintenanceStarted", name+" (admin) takes node", "HoldExpiring", "HoldExpired", name+" (admin) ends its maintenance of node "+node)
}
