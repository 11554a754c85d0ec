// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"net/http"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestClientSideApply(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, name, node := pool.Kubectl(), pool.Name+"-a", absentNode(pool)
	apply := func(spec, want string) {
		t.Helper()
		wantContains(t, "kubectl apply", kubectl.Must(t, manifest(name, spec), "apply", "-f", "-"), name+" "+want)
	}
	first := `{"nodeName":"` + node + `","reason":"one","drain":{"timeoutSeconds":60}}`
	apply(first, "created")
	before := settled(t, pool, name)
	apply(first, "unchanged")
	if got := get(t, pool, name); got.ResourceVersion != before.ResourceVersion {
		t.Error("applying the same again has written")
	}

	apply(`{"nodeName":"`+node+`","reason":"two"}`, "configured")
	got := get(t, pool, name)
	if got.Spec.Reason != "two" || got.Spec.Drain.TimeoutSeconds != nil || got.Generation != 2 {
		t.Errorf("got spec %+v of generation %d, want the reason changed and the timeout gone", got.Spec, got.Generation)
	}
	if managers := managersOf(t, got, "f:spec", "f:requestor"); managers != nil {
		t.Errorf("%q own spec.requestor, which only the server sets", managers)
	}
}

func TestServerSideApply(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, name, node := pool.Kubectl(), pool.Name+"-a", absentNode(pool)
	apply := func(spec string, args ...string) env.Output {
		t.Helper()
		return kubectl.Try(t, manifest(name, spec), append([]string{"apply", "--server-side", "-f", "-"}, args...)...)
	}
	first := `{"nodeName":"` + node + `","reason":"one","requestor":"admin"}`
	if out := apply(first); out.Code != 0 {
		t.Fatalf("%+v", out)
	}
	before := settled(t, pool, name)
	if out := apply(first); out.Code != 0 {
		t.Fatalf("%+v", out)
	}
	if got := get(t, pool, name); got.ResourceVersion != before.ResourceVersion {
		t.Error("applying the same again has written")
	}

	other := `{"nodeName":"` + node + `","reason":"two"}`
	out := apply(other, "--field-manager=other")
	if out.Code == 0 {
		t.Error("another manager's value was taken without force")
	}
	wantContains(t, "stderr", out.Stderr, `conflict with "kubectl": .spec.reason`)
	if out := apply(other, "--field-manager=other", "--force-conflicts"); out.Code != 0 {
		t.Fatalf("%+v", out)
	}
	got := get(t, pool, name)
	if managers := managersOf(t, got, "f:spec", "f:reason"); len(managers) != 1 || managers[0] != "other" {
		t.Errorf("%q own spec.reason, want the manager that forced it alone", managers)
	}
	if managers := managersOf(t, got, "f:spec", "f:requestor"); managers != nil || got.Spec.Requestor != "admin" {
		t.Errorf("requestor %s is owned by %q, want admin and nobody", got.Spec.Requestor, managers)
	}

	// What the last owner no longer mentions goes; what the server set stays.
	if out := apply(`{"nodeName":"`+node+`"}`, "--field-manager=other"); out.Code != 0 {
		t.Fatalf("%+v", out)
	}
	got = get(t, pool, name)
	if got.Spec.Reason != "" || got.Spec.Requestor != "admin" || got.Spec.Stage != v1beta1.StageDrain {
		t.Errorf("got spec %+v, want the reason gone and nothing else", got.Spec)
	}
}

// Somebody else may apply the same manifest: the hold stays who created it.
func TestApplyBySomebodyElseKeepsTheRequestor(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, name := pool.Kubectl(), pool.Name+"-a"
	spec := `{"nodeName":"` + absentNode(pool) + `","stage":"Cordon"}`
	kubectl.Must(t, manifest(name, spec), "apply", "--server-side", "-f", "-")
	bob := user(t, "bob-of-"+pool.Name, "system:masters")
	bob.do(t, http.MethodPatch, collection+"/"+name+"?fieldManager=bob&force=true", asApply, manifest(name, spec)).want(t, http.StatusOK)
	forged := manifest(name, `{"nodeName":"`+absentNode(pool)+`","requestor":"bob-of-`+pool.Name+`"}`)
	bob.do(t, http.MethodPatch, collection+"/"+name+"?fieldManager=bob&force=true", asApply, forged).
		want(t, http.StatusUnprocessableEntity).wantCauses(t, "spec.requestor")
	if got := get(t, pool, name); got.Spec.Requestor != "admin" {
		t.Errorf("the requestor has become %s", got.Spec.Requestor)
	}
}

func TestApplyCannotSetTheStatus(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Name + "-a"
	body := `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"` + name + `"},` +
		`"spec":{"nodeName":"` + absentNode(pool) + `"},"status":{"phase":"Succeeded","drainProgress":100,"lastError":"mine"}}`
	pool.Kubectl().Must(t, body, "apply", "--server-side", "--field-manager=test", "-f", "-")
	got := settled(t, pool, name)
	if got.Status.Phase != v1beta1.PhasePending || ptr.Deref(got.Status.DrainProgress, 0) != 0 || got.Status.LastError != "" {
		t.Errorf("got status %+v, want the server's own", got.Status)
	}
	for _, manager := range managersOf(t, got, "f:status") {
		if manager == "test" {
			t.Error("the applier owns the status")
		}
	}
}
