// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestFieldSelectors(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, node := pool.Kubectl(), absentNode(pool)
	bob := "bob-of-" + pool.Name
	bobs := env.Current(t).MaintenanceAs(t, bob, "system:masters").MaintenanceV1beta1().NodeMaintenances()
	createQuiet(t, pool, "a")
	if _, err := bobs.Create(t.Context(), pool.Hold("b", node), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := bobs.Create(t.Context(), pool.Hold("c", node+"-2"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"spec.nodeName=" + node: "a b",
		"spec.nodeName=" + node + ",metadata.name!=" + pool.Name + "-a": "b",
		"spec.requestor=" + bob:                             "b c",
		"spec.requestor=" + bob + ",spec.nodeName=" + node:  "b",
		"spec.nodeName=" + node + ",status.phase=Pending":   "a b",
		"spec.nodeName=" + node + ",status.phase!=Pending":  "",
		"spec.nodeName=" + node + ",status.phase=Succeeded": "",
		"metadata.name=" + pool.Name + "-c":                 "c",
	}
	for selector, want := range tests {
		out := kubectl.Must(t, "", "get", "nm", "--field-selector", selector, "-o", "jsonpath={.items[*].metadata.name}")
		if got := strings.ReplaceAll(out, pool.Name+"-", ""); got != want {
			t.Errorf("%s: got %q, want %q", selector, got, want)
		}
	}
	for _, verb := range []string{"get", "delete"} {
		out := kubectl.Try(t, "", verb, "nm", "--field-selector", "spec.reason=x")
		if out.Code == 0 {
			t.Errorf("kubectl %s: a field that cannot select was taken", verb)
		}
		wantContains(t, "stderr", out.Stderr, `field label "spec.reason" is not supported: use metadata.name, spec.nodeName, spec.requestor or status.phase`)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	var want []string
	for i := range 5 {
		hold := pool.Hold(fmt.Sprint(i), absentNode(pool))
		hold.Labels = map[string]string{"of": pool.Name}
		want = append(want, pool.Create(t, hold).Name)
	}
	var got []string
	var pages []int
	options := metav1.ListOptions{LabelSelector: "of=" + pool.Name, Limit: 2}
	for {
		list, err := holds.List(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		got, pages = append(got, namesOf(list)...), append(pages, len(list.Items))
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names differ (-want +got):\n%s", diff)
	}
	if !slices.Equal(pages, []int{2, 2, 1}) {
		t.Errorf("got pages of %v, want 2, 2 and 1", pages)
	}

	out := pool.Kubectl().Try(t, "", "get", "nm", "-l", "of="+pool.Name, "--chunk-size=2", "-o", "name", "-v=6")
	if lines := strings.Fields(out.Stdout); out.Code != 0 || len(lines) != 5 {
		t.Errorf("kubectl in chunks: got %q and exit code %d", lines, out.Code)
	}
	if requests := strings.Count(out.Stderr, "limit=2"); requests != 3 {
		t.Errorf("kubectl in chunks made %d requests, want 3", requests)
	}

	_, err := holds.List(t.Context(), metav1.ListOptions{Continue: "garbage"})
	if !apierrors.IsBadRequest(err) {
		t.Errorf("a bad continue token: got %v, want a bad request", err)
	}
}

func TestBadListOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]int{
		"limit=many":                              http.StatusBadRequest,
		"continue=%2F":                            http.StatusBadRequest,
		"resourceVersion=new":                     http.StatusBadRequest,
		"resourceVersionMatch=Exact":              http.StatusUnprocessableEntity,
		"labelSelector=a%3D%3D%3Db":               http.StatusBadRequest,
		"fieldSelector=a":                         http.StatusBadRequest,
		"watch=true&fieldSelector=spec.stage%3Dx": http.StatusBadRequest,
		"watch=true&sendInitialEvents=true":       http.StatusUnprocessableEntity,
	}
	caller := admin(t)
	for query, want := range tests {
		if got := caller.get(t, collection+"?"+query); got.code != want {
			t.Errorf("%s: got %d, want %d: %s", query, got.code, want, got.body)
		}
	}
}

// Reading one's own writes: a list asked to be as new as a write has it.
func TestListIsAsNewAsAsked(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	for i := range 20 {
		hold := pool.Hold(fmt.Sprint(i), absentNode(pool))
		hold.Spec.Stage = v1beta1.StageIdle
		created := pool.Create(t, hold)
		for _, version := range []string{"", created.ResourceVersion} {
			list, err := holds.List(t.Context(), metav1.ListOptions{
				ResourceVersion: version, FieldSelector: "spec.nodeName=" + absentNode(pool),
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(namesOf(list), created.Name) {
				t.Fatalf("a list at version %q lacks what was created before it", version)
			}
		}
	}
}
