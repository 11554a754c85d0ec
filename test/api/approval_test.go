// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"fmt"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	holdsPath    = "/apis/maintenance.medik8s.io/v1beta1/nodemaintenances"
	policiesPath = "/apis/maintenance.medik8s.io/v1beta1/maintenancepolicies"
	approverRole = "maintenance.medik8s.io:approver"
)

func approvalOf(uid types.UID, generation int64) string {
	return fmt.Sprintf(`{"decision":"Approved","uid":%q,"generation":%d,"reason":"the backup is done"}`, uid, generation)
}

func grantApprover(t *testing.T, p *env.Pool, name string) {
	t.Helper()
	grant(t, p.Env, approverRole, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name},
		authorizationv1.SubjectAccessReviewSpec{User: name, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: v1beta1.GroupName, Resource: "maintenancepolicies", Name: "any", Verb: "approve",
		}})
}

// Maintenance that needs an approval, from the preview to the end, as people who are impersonated.
func TestApproval(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node, name := pool.Nodes[0], pool.Name+"-a"
	policy := pool.Policy(t, "asks", v1beta1.MaintenancePolicySpec{Approvals: &v1beta1.PolicyApprovals{Count: 1}})
	requestor, approver := pool.Name+"-requestor", pool.Name+"-approver"
	grantUser(t, pool.Env, editorRole, requestor, "create")
	grantApprover(t, pool, requestor)
	grantApprover(t, pool, approver)
	kubectl, path := pool.Kubectl(), holdsPath+"/"+name+"/approval"
	decide := func(by, decision string) env.Output {
		return kubectl.Try(t, decision, "create", "--raw", path, "-f", "-", "--as", by)
	}

	preview := kubectl.Try(t, manifest(name, `{"nodeName":"`+node+`"}`), "create", "-f", "-", "--dry-run=server", "-o", "json", "--as", requestor)
	wantContains(t, "preview", preview.Stdout, `"startsNow": false`, `"reason": "ApprovalNeeded"`)
	created := kubectl.Try(t, manifest(name, `{"nodeName":"`+node+`"}`), "create", "-f", "-", "--as", requestor)
	wantContains(t, "create", created.Stderr, `Warning: maintenance of node "`+node+`" waits: policy "`+policy+`": 0 of 1 approval`)
	hold := pool.WaitForHold(t, name, "it waits for an approval", env.WaitsFor(v1beta1.AdmissionApprovalNeeded))
	approve := approvalOf(hold.UID, 1)
	wantShownToWait(t, pool, policy, name)

	own := decide(requestor, approve)
	wantContains(t, "refusal", own.Stderr, "(Forbidden)", `user "`+requestor+`" has created it, and policy "`+policy+`" asks for the approval of somebody else`)
	wantContains(t, "refusal", decide(approver, approvalOf(hold.UID, 2)).Stderr, "(Conflict)", "the NodeMaintenance is at generation 1: its spec has changed")
	if out := decide(approver, `{"decision":"Denied"}`); out.Code != 0 {
		t.Fatalf("could not deny: %s", out.Stderr)
	}
	pool.WaitForHold(t, name, "it was denied", env.WaitsFor(v1beta1.AdmissionDenied))
	kubectl.Must(t, "", "delete", "--raw", path, "--as", approver)
	pool.WaitForHold(t, name, "the denial was withdrawn", env.WaitsFor(v1beta1.AdmissionApprovalNeeded))
	if out := decide(approver, approve); out.Code != 0 {
		t.Fatalf("could not approve: %s", out.Stderr)
	}
	wantFrozen(t, pool, name, requestor, approver)
}

// wantShownToWait fails the test unless the queue of the policy and the node say what the hold waits for.
func wantShownToWait(t *testing.T, p *env.Pool, policy, name string) {
	t.Helper()
	viewer := p.Name + "-viewer"
	grantUser(t, p.Env, viewerRole, viewer, "get")
	var queue v1beta1.MaintenancePolicyQueue
	if err := json.Unmarshal([]byte(p.KubectlAs(t, viewer).Must(t, "", "get", "--raw", policiesPath+"/"+policy+"/queue")), &queue); err != nil {
		t.Fatal(err)
	}
	if len(queue.Items) != 1 || queue.Items[0].Name != name || queue.Items[0].Position != 1 || len(queue.Items[0].WaitingFor) != 1 {
		t.Errorf("the queue is %+v, want %s", queue.Items, name)
	}
	state, err := p.Maintenance.MaintenanceV1beta1().NodeStates().Get(t.Context(), p.Nodes[0], metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a := state.Status.Admission; a == nil || a.StartsNow || a.WaitingFor[0].Policy != policy || len(a.Positions) != 1 || a.Positions[0].Of != 1 {
		t.Errorf("the node shows %+v", a)
	}
	plan, err := p.Maintenance.MaintenanceV1beta1().NodeStates().GetDrainPlan(t.Context(), p.Nodes[0], metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a := plan.Status.Admission; a == nil || a.StartsNow || a.WaitingFor[0].Reason != v1beta1.AdmissionApprovalNeeded {
		t.Errorf("the plan shows %+v", a)
	}
}

// wantFrozen fails the test unless the hold starts, and what was approved can be changed and withdrawn no more.
func wantFrozen(t *testing.T, p *env.Pool, name, requestor, approver string) {
	t.Helper()
	admitted := p.WaitForHold(t, name, "it was admitted, and drained", func(nm *v1beta1.NodeMaintenance) bool {
		return apimeta.IsStatusConditionTrue(nm.Status.Conditions, v1beta1.ConditionDrained)
	})
	admission := admitted.Status.Admission
	if !admission.Approved || len(admission.Approvals) != 1 || admission.Approvals[0].By != approver || admission.Approvals[0].NodeUID != p.Node(t, p.Nodes[0]).UID {
		t.Errorf("got %+v, want the approval of the impersonated user", admission)
	}
	edit := p.Kubectl().Try(t, "", "patch", "nm", name, "--type=merge", "-p", `{"spec":{"drain":{"timeoutSeconds":60}}}`, "--as", requestor)
	wantContains(t, "edit", edit.Stderr, `spec.drain: Forbidden: is frozen: it was approved by "`+approver+`"`)
	late := p.Kubectl().Try(t, "", "delete", "--raw", holdsPath+"/"+name+"/approval", "--as", approver)
	wantContains(t, "withdrawal", late.Stderr, "(Conflict)", "goes on whoever withdraws a decision")
	_, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().CreateApproval(t.Context(), name,
		&v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionDenied}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil {
		t.Error("a denial is accepted after the start")
	} else {
		wantContains(t, "denial", err.Error(), "so there is nothing to decide; to end it, delete it")
	}
}
