// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// approver is a policy that asks for an approval, and somebody who may give it.
func (p *pool) approver(t *testing.T, name string) versioned.Interface {
	t.Helper()
	policy := p.Policy(t, "approve", v1beta1.MaintenancePolicySpec{Approvals: &v1beta1.PolicyApprovals{Count: 1}})
	user := name + "-" + p.Name
	p.grant(t, user, []rbacv1.PolicyRule{
		{APIGroups: []string{v1beta1.GroupName}, Resources: []string{"nodemaintenances/approval"}, Verbs: []string{"create", "delete"}},
		{APIGroups: []string{v1beta1.GroupName}, Resources: []string{"maintenancepolicies"}, ResourceNames: []string{policy}, Verbs: []string{"approve"}},
	})
	return p.MaintenanceAs(t, user)
}

// grant gives a user permissions until the test's end.
func (p *pool) grant(t *testing.T, user string, rules []rbacv1.PolicyRule) {
	t.Helper()
	rbac := p.Kube.RbacV1()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := rbac.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := rbac.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := rbac.ClusterRoleBindings().Delete(ctx, user, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if err := rbac.ClusterRoles().Delete(ctx, user, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// decide posts a decision on a hold. kube-apiserver may not know a new permission yet.
func decide(t *testing.T, client versioned.Interface, hold string, decision v1beta1.MaintenanceApproval) {
	t.Helper()
	env.Eventually(t, "the decision is taken", func(ctx context.Context) string {
		_, err := client.MaintenanceV1beta1().NodeMaintenances().CreateApproval(ctx, hold, &decision, metav1.CreateOptions{})
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

func (p *pool) approve(t *testing.T, client versioned.Interface, hold string) {
	t.Helper()
	decide(t, client, hold, p.approvalOf(t, hold))
}

// approvalOf is an approval of the hold as it is.
func (p *pool) approvalOf(t *testing.T, name string) v1beta1.MaintenanceApproval {
	t.Helper()
	hold, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionApproved, UID: hold.UID, Generation: hold.Generation}
}

// A change of the spec makes an approval void, and so does its withdrawal; a new one counts.
func TestApprovalIsOfWhatWasSeen(t *testing.T) {
	p := newPool(t, 1)
	ada := p.approver(t, "ada")
	// A freeze keeps it from starting, so that there is time to change one's mind.
	freeze := p.Policy(t, "freeze", frozen())
	hold := p.cordon(t, p.Nodes[0])
	p.waiting(t, hold, v1beta1.AdmissionFrozen, v1beta1.AdmissionApprovalNeeded)

	wrong := p.approvalOf(t, hold)
	wrong.Generation = 99
	env.Eventually(t, "an approval of another generation is refused", func(ctx context.Context) string {
		_, err := ada.MaintenanceV1beta1().NodeMaintenances().CreateApproval(ctx, hold, &wrong, metav1.CreateOptions{})
		if !apierrors.IsConflict(err) {
			return fmt.Sprint("got ", err)
		}
		return ""
	})
	p.approve(t, ada, hold)
	p.waiting(t, hold, v1beta1.AdmissionFrozen)
	p.patch(t, hold, `{"spec":{"reason":"something else"}}`)
	p.waiting(t, hold, v1beta1.AdmissionFrozen, v1beta1.AdmissionApprovalNeeded)
	p.approve(t, ada, hold)
	p.waiting(t, hold, v1beta1.AdmissionFrozen)
	p.withdraw(t, ada, hold)
	p.waiting(t, hold, v1beta1.AdmissionFrozen, v1beta1.AdmissionApprovalNeeded)
	decide(t, ada, hold, v1beta1.MaintenanceApproval{Decision: v1beta1.DecisionDenied, Reason: "not this week"})
	p.waiting(t, hold, v1beta1.AdmissionDenied, v1beta1.AdmissionFrozen)
	p.approve(t, ada, hold)
	p.change(t, freeze, `{"spec":{"schedule":null}}`)
	p.admitted(t, hold)
}

func (p *pool) withdraw(t *testing.T, client versioned.Interface, hold string) {
	t.Helper()
	request := client.MaintenanceV1beta1().RESTClient().Delete().Resource("nodemaintenances").Name(hold).SubResource("approval")
	if err := request.Do(t.Context()).Error(); err != nil {
		t.Fatalf("could not withdraw the approval: %v", err)
	}
}

// Who created a hold cannot approve it, also not in somebody's name who may not approve.
func TestNobodyApprovesTheirOwn(t *testing.T) {
	p := newPool(t, 1)
	ada := p.approver(t, "ada")
	user := "ada-" + p.Name
	p.grantHolds(t, user)
	var hold string
	env.Eventually(t, "ada creates a hold", func(ctx context.Context) string {
		created, err := ada.MaintenanceV1beta1().NodeMaintenances().Create(ctx, p.of(p.Nodes[0]), metav1.CreateOptions{})
		if err != nil {
			return err.Error()
		}
		hold = created.Name
		return ""
	})
	p.waiting(t, hold, v1beta1.AdmissionApprovalNeeded)
	approval := p.approvalOf(t, hold)
	wantOwn(t, ada, hold, approval)
	config := p.Cluster.Config()
	config.Impersonate.UserName = user
	impersonated, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	wantOwn(t, impersonated, hold, approval)
	p.waiting(t, hold, v1beta1.AdmissionApprovalNeeded)
	stranger := p.MaintenanceAs(t, "eve-"+p.Name)
	_, err = stranger.MaintenanceV1beta1().NodeMaintenances().
		CreateApproval(t.Context(), hold, &approval, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("the approval of a stranger: got %v, want forbidden", err)
	}
	p.approve(t, p.Maintenance, hold)
	p.admitted(t, hold)
}

// wantOwn approves a hold, which must be forbidden because the user has created it. kube-apiserver may not know a new
// permission yet, and forbid it for that reason at first.
func wantOwn(t *testing.T, client versioned.Interface, hold string, approval v1beta1.MaintenanceApproval) {
	t.Helper()
	env.Eventually(t, "one's own approval is forbidden", func(ctx context.Context) string {
		_, err := client.MaintenanceV1beta1().NodeMaintenances().
			CreateApproval(ctx, hold, &approval, metav1.CreateOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "has created it") {
			return fmt.Sprint("got ", err)
		}
		return ""
	})
}

// grantHolds lets a user take the pool's nodes out of service.
func (p *pool) grantHolds(t *testing.T, user string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user + "-holds"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "maintenance.medik8s.io:editor"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := p.Kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := p.Kube.RbacV1().ClusterRoleBindings().Delete(context.WithoutCancel(t.Context()), binding.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Error(err)
		}
	})
}

// An approval is of one node, and not of another that gets its name.
func TestApprovalIsNotForANewNodeOfTheName(t *testing.T) {
	p := newPool(t, 1)
	ada := p.approver(t, "ada")
	freeze := p.Policy(t, "freeze", frozen())
	hold := p.cordon(t, p.Nodes[0])
	p.waiting(t, hold, v1beta1.AdmissionFrozen, v1beta1.AdmissionApprovalNeeded)
	p.approve(t, ada, hold)
	p.waiting(t, hold, v1beta1.AdmissionFrozen)

	if err := p.Kube.CoreV1().Nodes().Delete(t.Context(), p.Nodes[0], metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	options := localcluster.NodeOptions{Count: 1, NamePrefix: p.Name + "-", Labels: map[string]string{env.PoolLabel: p.Name}}
	if err := p.Cluster.AddNodes(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	p.waiting(t, hold, v1beta1.AdmissionFrozen, v1beta1.AdmissionApprovalNeeded)
	p.change(t, freeze, `{"spec":{"schedule":null}}`)
	p.waiting(t, hold, v1beta1.AdmissionApprovalNeeded)
	p.approve(t, ada, hold)
	p.admitted(t, hold)
}
