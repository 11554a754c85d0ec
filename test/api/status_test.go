// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const forgedStatus = `{"phase":"Succeeded","drainProgress":100,"totalPods":9,"lastError":"forged",
	"nodeBefore":{"unschedulable":true},"nodeUID":"forged",
	"conditions":[{"type":"Drained","status":"True","reason":"NodeEmpty","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"}]}`

// A status in the body of a create or an update is dropped, and nobody is told.
func TestStatusInABodyIsDropped(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Name + "-a"
	path := collection + "/" + name
	body := `{"metadata":{"name":"` + name + `"},"spec":{"nodeName":"` + absentNode(pool) + `","stage":"Idle"},"status":` + forgedStatus + `}`
	created := admin(t).do(t, http.MethodPost, collection+"?fieldValidation=Strict", asJSON, body).want(t, http.StatusCreated)
	if len(created.warnings) != 1 { // that the node does not exist
		t.Errorf("got warnings %q, want none about the status", created.warnings)
	}
	before := settled(t, pool, name)
	if before.Status.LastError != "" || before.Status.NodeUID != "" || before.Status.Phase != v1beta1.PhasePending || env.Drained(before) {
		t.Errorf("got status %+v, want the server's own", before.Status)
	}

	patch := `{"status":` + forgedStatus + `}`
	for _, kind := range []string{asMergePatch, asStrategicPatch} {
		if got := admin(t).do(t, http.MethodPatch, path, kind, patch).want(t, http.StatusOK); len(got.warnings) > 0 {
			t.Errorf("got warnings %q, want none", got.warnings)
		}
	}
	replacement := get(t, pool, name)
	if err := json.Unmarshal([]byte(patch), replacement); err != nil {
		t.Fatal(err)
	}
	put(t, path, replacement).want(t, http.StatusOK)
	if diff := cmp.Diff(before, get(t, pool, name)); diff != "" {
		t.Errorf("hold differs after the updates (-before +after):\n%s", diff)
	}
}

func put(t *testing.T, path string, hold *v1beta1.NodeMaintenance) answer {
	t.Helper()
	hold.APIVersion, hold.Kind = "maintenance.medik8s.io/v1beta1", "NodeMaintenance"
	body, err := json.Marshal(hold)
	if err != nil {
		t.Fatal(err)
	}
	return admin(t).do(t, http.MethodPut, path, asJSON, string(body))
}

// A write to the status changes the status, and nothing else. The server soon puts it right again, so the
// answers are what is looked at.
func TestStatusWriteChangesNothingElse(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := pool.Hold("a", absentNode(pool))
	hold.Labels, hold.Annotations = map[string]string{"team": "a"}, map[string]string{"note": "b"}
	before := settled(t, pool, pool.Create(t, hold).Name)
	path := collection + "/" + hold.Name + "/status"
	check := func(how, lastError string, answer []byte) {
		t.Helper()
		got := &v1beta1.NodeMaintenance{}
		if err := json.Unmarshal(answer, got); err != nil {
			t.Fatal(err)
		}
		if got.Status.LastError != lastError {
			t.Errorf("%s: got lastError %q, want %q", how, got.Status.LastError, lastError)
		}
		if diff := cmp.Diff(before.Spec, got.Spec); diff != "" {
			t.Errorf("%s: spec differs (-want +got):\n%s", how, diff)
		}
		wantMeta, gotMeta := before.ObjectMeta, got.ObjectMeta
		wantMeta.ResourceVersion, gotMeta.ResourceVersion, wantMeta.ManagedFields, gotMeta.ManagedFields = "", "", nil, nil
		if diff := cmp.Diff(wantMeta, gotMeta); diff != "" {
			t.Errorf("%s: metadata differs (-want +got):\n%s", how, diff)
		}
	}

	replacement := before.DeepCopy()
	replacement.Spec.Stage, replacement.Spec.Reason, replacement.Spec.NodeName, replacement.Spec.Requestor = v1beta1.StageIdle, "x", "y", "z"
	replacement.Labels, replacement.Annotations, replacement.Finalizers = map[string]string{"x": "y"}, nil, []string{foreignFinalizer}
	replacement.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "x", UID: "y"}}
	replacement.Generation, replacement.Status.LastError = 7, "put"
	check("PUT", "put", put(t, path, replacement).want(t, http.StatusOK).body)

	change := func(lastError string) string {
		return `{"metadata":{"labels":{"x":"y"},"annotations":{"note":null},"finalizers":["` + foreignFinalizer + `"],
			"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"x","uid":"y"}]},
			"spec":{"stage":"Idle","reason":"x","drain":{"timeoutSeconds":5}},"status":{"lastError":"` + lastError + `"}}`
	}
	patch := func(kind, query, body string) []byte {
		t.Helper()
		return admin(t).do(t, http.MethodPatch, path+query, kind, body).want(t, http.StatusOK).body
	}
	check("merge patch", "merge", patch(asMergePatch, "", change("merge")))
	check("strategic patch", "strategic", patch(asStrategicPatch, "", change("strategic")))
	check("JSON patch", "json", patch(asJSONPatch, "", `[{"op":"replace","path":"/spec/stage","value":"Idle"},
		{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"add","path":"/status/lastError","value":"json"}]`))
	check("apply", "apply", patch(asApply, "?fieldManager=test&force=true", `{"apiVersion":"maintenance.medik8s.io/v1beta1",
		"kind":"NodeMaintenance","metadata":{"name":"`+hold.Name+`","labels":{"x":"y"}},"spec":{"stage":"Idle"},"status":{"lastError":"apply"}}`))
	out := pool.Kubectl().Must(t, "", "patch", "nm", hold.Name, "--subresource=status", "--type=merge", "-p", change("kubectl"), "-o", "json")
	check("kubectl", "kubectl", []byte(out))
}

// What somebody else writes into a status is put right at once, and no event tells of what did not happen.
func TestForgedStatusIsPutRight(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	before := pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	pool.Kubectl().Must(t, "", "patch", "nm", hold.Name, "--subresource=status", "--type=merge", "-p",
		`{"status":{"phase":"Running","drainProgress":7,"startTime":"2020-01-01T00:00:00Z","drainedTime":null,"lastError":"forged",
		"nodeBefore":{"unschedulable":true},"nodeUID":"forged","conditions":null}}`)
	env.Eventually(t, "the status is as it was", func(context.Context) string {
		was, is := before.DeepCopy().Status, get(t, pool, hold.Name).Status
		was.LastUpdate, is.LastUpdate = nil, nil
		return cmp.Diff(was, is)
	})
	events := pool.Kubectl().Must(t, "", "get", "events", "--field-selector", "involvedObject.name="+hold.Name, "-o", "custom-columns=R:.reason")
	if strings.Contains(events, "DrainRestarted") || strings.Contains(events, "NodeReplaced") {
		t.Errorf("events tell of what did not happen:\n%s", events)
	}
	pool.Delete(t, hold.Name)
	if pool.Node(t, pool.Nodes[0]).Spec.Unschedulable {
		t.Error("the node was not given back")
	}
}

// A plan is for one moment: only the answer to a dry run has it.
func TestNoPlanIsStored(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Name + "-a"
	const status = `"status":{"lastError":"seen","plan":{"evictionPods":1,"pods":[{"pod":"a/b","action":"Evict"}]}}`
	head := `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"` + name + `"},`
	created := admin(t).do(t, http.MethodPost, collection, asJSON, head+`"spec":{"nodeName":"`+absentNode(pool)+`","stage":"Idle"},`+status+`}`)
	check := func(how string, got answer) {
		t.Helper()
		if got.code >= http.StatusBadRequest || bytes.Contains(got.body, []byte(`"plan"`)) {
			t.Errorf("%s: answer %d %s, want one without a plan", how, got.code, got.body)
		}
		if stored := get(t, pool, name); stored.Status.Plan != nil {
			t.Errorf("%s: a plan was stored: %+v", how, stored.Status.Plan)
		}
	}
	check("create", created)
	path := collection + "/" + name + "/status"
	for _, kind := range []string{asMergePatch, asStrategicPatch} {
		check(kind, admin(t).do(t, http.MethodPatch, path, kind, "{"+status+"}"))
	}
	check("JSON patch", admin(t).do(t, http.MethodPatch, path, asJSONPatch, `[{"op":"add","path":"/status/plan","value":{"evictionPods":1}}]`))
	check("apply", admin(t).do(t, http.MethodPatch, path+"?fieldManager=test&force=true", asApply, head+status+"}"))
	env.Eventually(t, "a PUT between the server's own writes", func(context.Context) string {
		replacement := get(t, pool, name)
		replacement.Status.Plan = &v1beta1.DrainPlanStatus{EvictionPods: 1}
		got := put(t, path, replacement)
		if got.code == http.StatusConflict {
			return string(got.body)
		}
		check("PUT", got)
		return ""
	})
}

func TestBadStatusIsRefused(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	path := collection + "/" + hold.Name + "/status"
	for field, status := range map[string]string{
		"status.phase":                `{"phase":"Done"}`,
		"status.drainProgress":        `{"drainProgress":101}`,
		"status.totalPods":            `{"totalPods":-1}`,
		"status.blockers[0].reason":   `{"blockers":[{"pod":"a/b"}]}`,
		"status.conditions[0].status": `{"conditions":[{"type":"Drained","status":"Maybe","reason":"A","lastTransitionTime":"2020-01-01T00:00:00Z"}]}`,
	} {
		admin(t).do(t, http.MethodPatch, path, asMergePatch, `{"status":`+status+`}`).
			want(t, http.StatusUnprocessableEntity).wantCauses(t, field)
	}
	outdated := hold.DeepCopy()
	outdated.ResourceVersion = "1"
	put(t, path, outdated).want(t, http.StatusConflict)
	none := collection + "/" + pool.Name + "-none/status"
	admin(t).do(t, http.MethodPatch, none, asMergePatch, `{"status":{}}`).want(t, http.StatusNotFound)
	admin(t).do(t, http.MethodPatch, none+"?fieldManager=test", asApply, manifest(pool.Name+"-none", `{"nodeName":"a"}`)).want(t, http.StatusNotFound)
	admin(t).do(t, http.MethodPost, path, asJSON, manifest(hold.Name, `{"nodeName":"a"}`)).want(t, http.StatusMethodNotAllowed)
	admin(t).do(t, http.MethodDelete, path, "", "").want(t, http.StatusMethodNotAllowed)
	if got := get(t, pool, hold.Name); got.ResourceVersion != hold.ResourceVersion {
		t.Errorf("a refused status was stored: %+v", got.Status)
	}
}
