// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// held drains the node when it needs maintenance, and then marks it. It is for the nodes with the label mine.
const held = `
nodes: {selector: {matchLabels: {test-pool: POOL, mine: "yes"}}}
checks:
- {name: needed, nodeLabel: {key: needed}}
triggers:
- {name: drain, hold: {stage: Drain}}
- {name: mark, patchNode: {labels: {marked: before}}}
states:
  operational:
    transitions: [{name: required, check: needed, triggers: [drain, mark], next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: back, check: "!needed", next: Operational}]
`

// stepTest changes something of a profile while a step of it is being done on a node: the drain, which is blocked.
type stepTest struct {
	change func(t *testing.T, p *pool, profile string)
	// wantMark is the label that the next step sets; empty: it is not done any more.
	wantMark string
	// wantGone says that the profile leaves the node once it needs no maintenance, or at once if there is no mark.
	wantGone bool
}

var stepTests = map[string]stepTest{
	"edited": {
		change: func(t *testing.T, p *pool, profile string) {
			p.change(t, profile, `{"spec":{"triggers":[{"name":"drain","hold":{}},{"name":"mark","patchNode":{"labels":{"marked":"after"}}}]}}`)
		},
		wantMark: "before",
	},
	"detached": {
		change:   func(t *testing.T, p *pool, _ string) { p.label(t, p.Nodes[0], "mine-") },
		wantMark: "before", wantGone: true,
	},
	"deleted": {change: deleteProfile, wantMark: "before", wantGone: true},
	"deleted with Release": {
		change: func(t *testing.T, p *pool, profile string) {
			p.change(t, profile, `{"spec":{"onDetach":"Release"}}`)
			deleteProfile(t, p, profile)
		},
		wantGone: true,
	},
	"deleted by somebody who may not give nodes back": {change: deleteWithoutRight, wantMark: "before"},
}

// deleteWithoutRight tries to delete a profile, and what it holds, with permissions for profiles alone.
func deleteWithoutRight(t *testing.T, p *pool, profile string) {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: p.Name}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{v1beta1.GroupName}, Resources: []string{"maintenanceprofiles"}, Verbs: []string{"*"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: p.Name}},
	}
	if _, err := p.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_ = p.Kube.RbacV1().ClusterRoleBindings().Delete(ctx, role.Name, metav1.DeleteOptions{})
		_ = p.Kube.RbacV1().ClusterRoles().Delete(ctx, role.Name, metav1.DeleteOptions{})
	})
	mallory := p.MaintenanceAs(t, "mallory-"+p.Name, p.Name).MaintenanceV1beta1().MaintenanceProfiles()
	env.Eventually(t, "a mode that does less", func(ctx context.Context) string {
		_, err := mallory.Patch(ctx, profile, types.MergePatchType, []byte(`{"spec":{"mode":"DryRun"}}`), metav1.PatchOptions{})
		if err != nil {
			return err.Error()
		}
		return ""
	})
	err := mallory.Delete(t.Context(), profile, metav1.DeleteOptions{})
	if want := `cannot delete resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "` + p.Nodes[0] + `"`; !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a 403 that says %s", err, want)
	}
	p.change(t, profile, `{"spec":{"mode":"Active"}}`)
}

func deleteProfile(t *testing.T, p *pool, profile string) {
	if err := p.profiles().Delete(t.Context(), profile, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// What was recorded is done as it was recorded, whatever becomes of the profile.
func TestProfileChangesWhileAStepIsDone(t *testing.T) {
	for name, test := range stepTests {
		t.Run(name, func(t *testing.T) { test.run(t) })
	}
}

func (test stepTest) run(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.block(t, node)
	profile := p.profile(t, "held", held)
	p.label(t, node, "mine=yes", "needed=yes")
	p.wait(t, profile, node, "the drain is being done", func(s *v1beta1.NodeProfileStatus) bool {
		return s.Transition != nil && s.Transition.Steps[0].State == v1beta1.StepRunning && s.Hold != nil && s.Hold.Reached == v1beta1.StageCordon
	})
	test.change(t, p, profile)
	if test.wantMark != "" {
		p.unblock(t)
		p.is(t, profile, node, v1beta1.ProfileMaintenanceRequired)
		p.label(t, node, "needed-")
	}
	if test.wantGone {
		p.gone(t, profile, node)
	}
	p.WaitUntilClean(t)
	if got := p.Node(t, node).Labels["marked"]; got != test.wantMark {
		t.Errorf("the node is marked %q, want %q", got, test.wantMark)
	}
}
