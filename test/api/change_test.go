// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, hold := pool.Kubectl(), createQuiet(t, pool, "a")
	steps := []struct {
		kind, patch string
		want        v1beta1.NodeMaintenanceSpec
	}{
		{"merge", `{"spec":{"stage":"Cordon"}}`, v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageCordon, Reason: "test"}},
		{"json", `[{"op":"replace","path":"/spec/stage","value":"Idle"}]`, v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageIdle, Reason: "test"}},
		{"strategic", `{"spec":{"reason":"another"}}`, v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageIdle, Reason: "another"}},
		{"merge", `{"spec":{"reason":null,"stage":null}}`, v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageDrain}},
	}
	for i, step := range steps {
		out := kubectl.Must(t, "", "patch", "nm", hold.Name, "--type="+step.kind, "-p", step.patch)
		wantContains(t, step.kind+" patch", out, "patched")
		got := get(t, pool, hold.Name)
		if got.Spec.Stage != step.want.Stage || got.Spec.Reason != step.want.Reason {
			t.Errorf("%s patch %s: got stage %s and reason %q", step.kind, step.patch, got.Spec.Stage, got.Spec.Reason)
		}
		if want := int64(i + 2); got.Generation != want {
			t.Errorf("%s patch %s: got generation %d, want %d", step.kind, step.patch, got.Generation, want)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, hold := pool.Kubectl(), createQuiet(t, pool, "a")
	fetched := kubectl.Must(t, "", "get", "nm", hold.Name, "-o", "json")
	changed := string(bytes.ReplaceAll([]byte(fetched), []byte(`"reason": "test"`), []byte(`"reason": "replaced"`)))
	wantContains(t, "kubectl replace", kubectl.Must(t, changed, "replace", "-f", "-"), hold.Name+" replaced")
	if got := get(t, pool, hold.Name); got.Spec.Reason != "replaced" || got.Generation != 2 {
		t.Errorf("got reason %q and generation %d", got.Spec.Reason, got.Generation)
	}

	out := kubectl.Try(t, fetched, "replace", "-f", "-")
	if out.Code == 0 {
		t.Error("an outdated object was taken")
	}
	wantContains(t, "stderr", out.Stderr, "(Conflict)", "the object has been modified")

	// A whole object without a version could undo what somebody has just changed.
	body := manifest(hold.Name, `{"nodeName":"`+absentNode(pool)+`"}`)
	admin(t).do(t, http.MethodPut, collection+"/"+hold.Name, asJSON, body).
		want(t, http.StatusUnprocessableEntity).wantCauses(t, "metadata.resourceVersion")
	admin(t).do(t, http.MethodPut, collection+"/"+pool.Name+"-none", asJSON, manifest(pool.Name+"-none", `{"nodeName":"n"}`)).
		want(t, http.StatusNotFound)
}

// kubectl replace --force deletes the hold, waits for its end and creates it anew.
func TestReplaceByForce(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	pool.Kubectl().Must(t, manifest(hold.Name, `{"nodeName":"`+pool.Nodes[0]+`","stage":"Cordon"}`), "replace", "--force", "-f", "-")
	got := settled(t, pool, hold.Name)
	if got.UID == hold.UID || got.Spec.Stage != v1beta1.StageCordon {
		t.Errorf("got uid %s and stage %s, want a new hold", got.UID, got.Spec.Stage)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	edit := pool.Kubectl().Command(t.Context(), "edit", "nm", hold.Name)
	edit.Env = append(edit.Env, "KUBE_EDITOR=sed -i 's/reason: test/reason: edited/'")
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("kubectl edit: %v: %s", err, out)
	}
	if got := get(t, pool, hold.Name); got.Spec.Reason != "edited" {
		t.Errorf("got reason %q, want that of the editor", got.Spec.Reason)
	}
}

// The generation counts specs, and the status says which of them it speaks of.
func TestGenerations(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, hold := pool.Kubectl(), createQuiet(t, pool, "a")
	kubectl.Must(t, "", "label", "nm", hold.Name, "team=a")
	kubectl.Must(t, "", "annotate", "nm", hold.Name, "note=b")
	labelled := get(t, pool, hold.Name)
	if labelled.Labels["team"] != "a" || labelled.Annotations["note"] != "b" || labelled.Generation != 1 {
		t.Errorf("got labels %v, annotations %v, generation %d", labelled.Labels, labelled.Annotations, labelled.Generation)
	}
	kubectl.Must(t, "", "label", "nm", hold.Name, "team-")

	kubectl.Must(t, "", "patch", "nm", hold.Name, "--type=merge", "-p", `{"spec":{"reason":"new"}}`)
	if got := settled(t, pool, hold.Name); got.Generation != 2 || got.Status.ObservedGeneration != 2 || len(got.Labels) > 0 {
		t.Errorf("got generation %d, observed %d, labels %v", got.Generation, got.Status.ObservedGeneration, got.Labels)
	}
	before := get(t, pool, hold.Name)
	out := kubectl.Must(t, "", "patch", "nm", hold.Name, "--type=merge", "-p", `{"spec":{"reason":"new"},"metadata":{"generation":9}}`)
	wantContains(t, "patch that changes nothing", out, "(no change)")
	if got := get(t, pool, hold.Name); got.ResourceVersion != before.ResourceVersion || got.Generation != 2 {
		t.Error("a patch that changes nothing has written")
	}
	if managers := managersOf(t, before, "f:status", "f:observedGeneration"); len(managers) != 1 || managers[0] != "maintenance-apiserver" {
		t.Errorf("%q own the status, want the server alone", managers)
	}
}
