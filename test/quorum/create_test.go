// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestSecondMemberIsRefused(t *testing.T) {
	pool := newMembers(t, 3)
	first, second := pool.Nodes[0], pool.Nodes[1]
	must(t, pool, "first", first, "stage: Cordon")
	numbers := fmt.Sprintf("2 of 3 members must stay in service, and without it 1 would (out: %s, held by \"%s-first\" of ", first, pool.Name)
	for name, args := range map[string][]string{"create": nil, "dry run": {"--dry-run=server"}} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, try(t, pool, pool.Kubectl(), "second", second, "stage: Drain", args...), "(Forbidden)",
				"control plane: node "+second+" cannot go into maintenance now: "+numbers, "set spec.overrideQuorum")
		})
	}
	must(t, pool, "idle", second, "stage: Idle")
	must(t, pool, "again", first, "stage: Cordon")
	worker := env.Current(t).NewPool(t, 1)
	must(t, worker, "worker", worker.Nodes[0], "stage: Drain")
	post := pool.Kubectl().Try(t, `{"spec":{"stage":"Drain"}}`, "create", "--raw",
		"/apis/maintenance.medik8s.io/v1beta1/nodes/"+second+"/maintenance", "-f", "-")
	wantRefused(t, post, "cannot go into maintenance now")
}

// Only who has the verb may override the quorum, and is warned.
func TestOverride(t *testing.T) {
	pool := newMembers(t, 1)
	node, user := pool.Nodes[0], pool.Name
	grantAs(t, pool, user, "maintenance.medik8s.io:editor")
	kubectl := pool.KubectlAs(t, user)
	wantRefused(t, try(t, pool, kubectl, "a", node, "stage: Cordon"), "1 of 1 members must stay in service, and without it 0 would; waiting does not help")
	wantRefused(t, try(t, pool, kubectl, "a", node, "overrideQuorum: true"),
		`cannot overridequorum resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "`+node+`", which spec.overrideQuorum asks for`)
	may := pool.Name + "-may"
	grantAs(t, pool, may, "maintenance.medik8s.io:editor")
	grantAs(t, pool, may, "maintenance.medik8s.io:override-quorum")
	out := try(t, pool, pool.KubectlAs(t, may), "a", node, "overrideQuorum: true")
	if want := "Warning: control plane: spec.overrideQuorum takes node " + node + " out of service whatever follows: 1 of 1 members"; out.Code != 0 || !strings.Contains(out.Stderr, want) {
		t.Errorf("got %+v, want the warning %q", out, want)
	}
	pool.WaitForHold(t, pool.Name+"-a", "the node is taken", succeeded)
}

// grantAs binds a ClusterRole to a user. It is to come before the user's first request: refusals are remembered.
func grantAs(t *testing.T, pool *env.Pool, user, role string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := pool.Kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	verb := "create"
	if strings.HasSuffix(role, "quorum") {
		verb = "overridequorum"
	}
	env.Eventually(t, "the grant of "+role, func(context.Context) string {
		out := pool.Kubectl().Try(t, "", "auth", "can-i", verb, "nodes.maintenance.medik8s.io/"+pool.Nodes[0],
			"--subresource=maintenance", "--as="+user)
		return strings.TrimPrefix(strings.TrimSpace(out.Stdout), "yes")
	})
}

// Of twenty creates at once, as many pass as the quorum allows, and the others are told why in a way that programs
// understand.
func TestTwentyAtOnce(t *testing.T) {
	pool := newMembers(t, 20)
	var created atomic.Int32
	var creating sync.WaitGroup
	for i, node := range pool.Nodes {
		creating.Go(func() {
			hold := pool.Hold(fmt.Sprint(i), node)
			_, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Create(t.Context(), hold, metav1.CreateOptions{})
			if err == nil {
				created.Add(1)
			} else if !refusedByQuorum(err) {
				t.Errorf("%s: %v", hold.Name, err)
			}
		})
	}
	creating.Wait()
	if created.Load() != 9 {
		t.Errorf("%d of 20 members were held, want 9", created.Load())
	}
}

func refusedByQuorum(err error) bool {
	var refusal *apierrors.StatusError
	return apierrors.IsForbidden(err) && errors.As(err, &refusal) && len(refusal.ErrStatus.Details.Causes) == 1 &&
		refusal.ErrStatus.Details.Causes[0].Type == v1beta1.ReasonControlPlaneQuorum
}
