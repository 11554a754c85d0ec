// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	attackHolds = 8
	// attackPatches and attackTime bound the attack.
	attackPatches = 200
	attackTime    = 15 * time.Second
	// attackKeys is how many annotations each hold has. Every manager of them adds as many managed fields.
	attackKeys = 100
	// attackAnnotation is the size of one more annotation, in bytes.
	attackAnnotation = 23 << 10
)

// attacker is a user who may hold one node.
type attacker struct {
	pool   *env.Pool
	client versioned.Interface

	patched, refused atomic.Int32
	refusal          atomic.Pointer[error]
	bytes            int // of each hold
}

// String says what the attacker did.
func (a *attacker) String() string {
	return fmt.Sprintf("%d patches of %d kB each, and %d that were refused", a.patched.Load(), a.bytes/1000, a.refused.Load())
}

func newAttacker(t *testing.T, pool *env.Pool) *attacker {
	t.Helper()
	name := pool.Name + "-attacker"
	roles, bindings := pool.Kube.RbacV1().ClusterRoles(), pool.Kube.RbacV1().ClusterRoleBindings()
	group := []string{v1beta1.GroupName}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
		{APIGroups: group, Resources: []string{"nodes/maintenance"}, ResourceNames: pool.Nodes, Verbs: []string{"create", "update", "delete"}},
		{APIGroups: group, Resources: []string{"nodemaintenances"}, Verbs: []string{"get", "create", "patch", "delete"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	}
	if _, err := roles.Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = roles.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}) })
	if _, err := bindings.Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bindings.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}) })
	a := &attacker{pool: pool, client: pool.MaintenanceAs(t, name)}
	a.waitForRights(t, name)
	return a
}

func (a *attacker) waitForRights(t *testing.T, name string) {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               name,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: v1beta1.GroupName, Verb: "create", Resource: "nodemaintenances"},
	}}
	env.Eventually(t, "the attacker has rights", func(ctx context.Context) string {
		answer, err := a.pool.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil || !answer.Status.Allowed {
			return fmt.Sprintf("%v, %v", answer.Status, err)
		}
		return ""
	})
}

// attack creates holds that are as large as may be, and then patches them side by side.
func (a *attacker) attack(t *testing.T) {
	t.Helper()
	names := make([]string, attackHolds)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", a.pool.Name, i)
		a.fatten(t, names[i])
	}
	ctx, cancel := context.WithTimeout(t.Context(), attackTime)
	defer cancel()
	var attacking sync.WaitGroup
	for _, name := range names {
		attacking.Go(func() { a.patch(ctx, name) })
	}
	attacking.Wait()
	if a.patched.Load() == 0 {
		t.Error("no patch succeeded")
	}
	a.wantRefused(t)
}

// wantRefused checks that the attacker was told to wait, and for how long.
func (a *attacker) wantRefused(t *testing.T) {
	t.Helper()
	refusal := a.refusal.Load()
	if refusal == nil {
		t.Error("the attacker was never told to wait")
		return
	}
	if _, told := apierrors.SuggestsClientDelay(*refusal); !told || !strings.Contains((*refusal).Error(), "has written too many") {
		t.Errorf("the attacker was refused with %v, want how long to wait, and why", *refusal)
	}
}

// fatten applies a hold as one manager after another, until that is refused.
func (a *attacker) fatten(t *testing.T, name string) {
	t.Helper()
	hold := a.largeHold(t, name)
	for manager := 0; ; manager++ {
		stored, err := a.request(types.ApplyYAMLPatchType, name).Param("fieldManager", fmt.Sprint(manager)).Body(hold).Do(t.Context()).Raw()
		switch {
		case apierrors.IsInvalid(err) && manager > 0:
			return
		case err != nil:
			t.Fatalf("could not apply a hold: %.300v", err)
		}
		a.bytes = len(stored)
	}
}

// largeHold has many annotations, of which one is large.
func (a *attacker) largeHold(t *testing.T, name string) []byte {
	t.Helper()
	annotations := map[string]string{"large": strings.Repeat("x", attackAnnotation)}
	for i := range attackKeys {
		annotations[fmt.Sprintf("%s%d", strings.Repeat("x", 50), i)] = ""
	}
	hold, err := json.Marshal(map[string]any{
		"apiVersion": v1beta1.SchemeGroupVersion.String(), "kind": "NodeMaintenance",
		"metadata": map[string]any{"name": name, "annotations": annotations},
		"spec":     map[string]any{"nodeName": a.pool.Nodes[0], "stage": v1beta1.StageIdle},
	})
	if err != nil {
		t.Fatal(err)
	}
	return hold
}

// patch patches a hold in a loop.
func (a *attacker) patch(ctx context.Context, name string) {
	for i := 0; ctx.Err() == nil && a.patched.Load()+a.refused.Load() < attackPatches; i++ {
		patch := fmt.Appendf(nil, `{"spec":{"reason":"%d"}}`, i)
		err := a.request(types.MergePatchType, name).Body(patch).Do(ctx).Error()
		switch {
		case err == nil:
			a.patched.Add(1)
		case apierrors.IsTooManyRequests(err):
			a.refused.Add(1)
			a.refusal.Store(&err)
		}
	}
}

// request is a patch that does not wait when it is told to.
func (a *attacker) request(patch types.PatchType, name string) *rest.Request {
	return a.client.MaintenanceV1beta1().RESTClient().Patch(patch).Resource("nodemaintenances").Name(name).MaxRetries(0)
}

// deleteAll deletes the attacker's holds and waits until they are gone.
func (a *attacker) deleteAll(t *testing.T) {
	t.Helper()
	for i := range attackHolds {
		a.pool.Delete(t, fmt.Sprintf("%s-%d", a.pool.Name, i))
	}
}
