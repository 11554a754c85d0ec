// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// kubectl delete returns when the caller's hold has ended: the node is given
// back by then, unless others hold it, whom a warning names.
func TestDelete(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	kubectl, node := pool.Kubectl(), pool.Nodes[0]
	first := pool.Create(t, pool.Hold("first", node))
	second := pool.Create(t, pool.Hold("second", node))
	for _, hold := range []*v1beta1.NodeMaintenance{first, second} {
		pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	}

	out := kubectl.Try(t, "", "delete", "nm", first.Name)
	wantWarning := fmt.Sprintf("Warning: node %q stays in maintenance: held by %q of \"admin\"\n", node, second.Name)
	if want := fmt.Sprintf("nodemaintenance.maintenance.medik8s.io %q deleted\n", first.Name); out.Code != 0 || out.Stdout != want || out.Stderr != wantWarning {
		t.Errorf("got %+v, want %q and the warning %q", out, want, wantWarning)
	}
	wantGone(t, pool, first.Name)
	if !pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node was given back although another hold keeps it")
	}

	out = kubectl.Try(t, "", "delete", "nm", second.Name)
	if out.Code != 0 || out.Stderr != "" {
		t.Errorf("deleting the last hold: got %+v, want no warning", out)
	}
	wantGone(t, pool, second.Name)
	if pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node is cordoned still when kubectl delete has returned")
	}
	out = kubectl.Try(t, "", "delete", "nm", second.Name)
	wantContains(t, "deleting it again", out.Stderr, "(NotFound)", `"`+second.Name+`" not found`)
}

func wantGone(t *testing.T, p *env.Pool, name string) {
	t.Helper()
	_, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("hold %s: got %v, want not found", name, err)
	}
}

// Whatever people add to a delete, the node is given back.
func TestDeleteOptions(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	kubectl, node := pool.Kubectl(), pool.Nodes[0]
	for i, args := range [][]string{{"--force", "--grace-period=0"}, {"--now"}, {"--cascade=foreground"}, {"--cascade=orphan"}, {"--wait=false"}} {
		hold := pool.Create(t, pool.Hold(fmt.Sprint(i), node))
		pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
		if out := kubectl.Try(t, "", append([]string{"delete", "nm", hold.Name}, args...)...); out.Code != 0 {
			t.Errorf("kubectl delete %q: %+v", args, out)
		}
		kubectl.Must(t, "", "wait", "--for=delete", "nm/"+hold.Name, "--timeout="+env.Timeout.String())
		if pool.Node(t, node).Spec.Unschedulable {
			t.Errorf("kubectl delete %q: the node is cordoned still", args)
		}
	}
}

func TestDeletePreconditions(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	holds, hold := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances(), createQuiet(t, pool, "a")
	for name, preconditions := range map[string]metav1.Preconditions{
		"another uid":     {UID: ptr.To(types.UID("other"))},
		"another version": {ResourceVersion: ptr.To("1")},
	} {
		err := holds.Delete(t.Context(), hold.Name, metav1.DeleteOptions{Preconditions: &preconditions})
		if !apierrors.IsConflict(err) {
			t.Errorf("%s: got %v, want a conflict", name, err)
		}
	}
	if got := get(t, pool, hold.Name); got.DeletionTimestamp != nil {
		t.Error("a refused delete has begun")
	}
}

func TestDeleteCollection(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	for i := range 4 {
		hold := pool.Hold(fmt.Sprint(i), fmt.Sprintf("%s-absent-%d", pool.Name, i/2))
		hold.Labels = map[string]string{"of": pool.Name, "go": fmt.Sprint(i%2 == 0)}
		pool.Create(t, hold)
	}
	answer := admin(t).do(t, http.MethodDelete, collection+"?labelSelector=go%3Dtrue%2Cof%3D"+pool.Name, "", "").want(t, http.StatusOK)
	want := []string{
		fmt.Sprintf("node %q stays in maintenance: held by %q of %q", pool.Name+"-absent-0", pool.Name+"-1", "admin"),
		fmt.Sprintf("node %q stays in maintenance: held by %q of %q", pool.Name+"-absent-1", pool.Name+"-3", "admin"),
	}
	if diff := cmp.Diff(want, answer.warnings); diff != "" {
		t.Errorf("warnings differ (-want +got):\n%s", diff)
	}
	env.Eventually(t, "the selected holds go, the others stay", func(ctx context.Context) string {
		list, err := holds.List(ctx, metav1.ListOptions{LabelSelector: "of=" + pool.Name})
		if err != nil {
			return err.Error()
		}
		if names := namesOf(list); strings.Join(names, " ") != pool.Name+"-1 "+pool.Name+"-3" {
			return strings.Join(names, " ")
		}
		return ""
	})
	pool.Kubectl().Must(t, "", "delete", "nm", "-l", "of="+pool.Name)
	for i := range 4 {
		wantGone(t, pool, fmt.Sprintf("%s-%d", pool.Name, i))
	}
}

func namesOf(list *v1beta1.NodeMaintenanceList) []string {
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names
}
