// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestUpdate(t *testing.T) {
	s := startServer(t)
	nm := s.create("alice", "a", "worker-1")
	path := collection + "/a"

	moved := nm
	moved.Spec.NodeName = "worker-2"
	s.put("alice", path, moved).want(t, http.StatusUnprocessableEntity).
		wantText(t, `spec.nodeName: Invalid value: "worker-2": field is immutable: must stay "worker-1"`)
	s.do("alice", http.MethodPatch, path, asMergePatch, `{"spec":{"requestor":"bob"}}`).
		want(t, http.StatusUnprocessableEntity).wantText(t, `must stay "alice"`)

	unversioned := nm
	unversioned.ResourceVersion = ""
	s.put("alice", path, unversioned).want(t, http.StatusUnprocessableEntity).
		wantText(t, "metadata.resourceVersion")

	changed := nm
	changed.Spec.Requestor, changed.Spec.Reason = "", "disk replacement"
	changed.Status.DrainProgress = ptr.To[int32](100)
	s.put("alice", path, changed).want(t, http.StatusOK)
	got := s.get("a")
	if got.Spec.Requestor != "alice" || got.Spec.Reason != "disk replacement" || got.Generation != 2 || ptr.Deref(got.Status.DrainProgress, 0) != 0 {
		t.Errorf("got %+v, generation %d, progress %d", got.Spec, got.Generation, ptr.Deref(got.Status.DrainProgress, 0))
	}
	s.put("alice", path, changed).want(t, http.StatusConflict)
}

// A write that says with other words what is stored already stores nothing, so that nobody who watches is woken.
func TestWriteThatChangesNothing(t *testing.T) {
	s := startServer(t)
	start := time.Now().Add(time.Hour).Truncate(time.Second)
	spec := `"spec":{"nodeName":"worker-1","notBefore":"` + start.In(time.FixedZone("", 60*60)).Format(time.RFC3339) + `"}`
	apply := `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"a"},` + spec + `}`
	s.do("alice", http.MethodPatch, collection+"/a?fieldManager=alice", asApply, apply).want(t, http.StatusCreated)
	stored := s.get("a")
	stored.Spec.Reason = "disk replacement"
	for i := range stored.ManagedFields {
		stored.ManagedFields[i].Time = ptr.To(metav1.NewTime(start.Add(-2 * time.Hour))) // the next write has another one
	}
	s.put("alice", collection+"/a?fieldManager=alice", stored).want(t, http.StatusOK)
	stored = s.get("a")

	s.put("alice", collection+"/a?fieldManager=alice", stored).want(t, http.StatusOK)
	for contentType, body := range map[string]string{
		asApply: apply, asMergePatch: "{" + spec + "}",
		// To Go's JSON, the field with what is not known of a hold has this name.
		"application/strategic-merge-patch+json": `{"-":"x",` + spec + "}",
		"application/json-patch+json":            `[{"op":"test","path":"/spec/nodeName","value":"worker-1"}]`,
	} {
		s.do("alice", http.MethodPatch, collection+"/a?fieldManager=alice", contentType, body).want(t, http.StatusOK)
		if diff := cmp.Diff(stored, s.get("a")); diff != "" {
			t.Errorf("%s changes the hold (-want +got):\n%s", contentType, diff)
		}
	}
}

// Whoever may write the status writes nothing else with it.
func TestStatusUpdate(t *testing.T) {
	s := startServer(t)
	nm := s.create("alice", "a", "worker-1")

	forged := nm
	forged.Labels = map[string]string{"changed": "true"}
	forged.Annotations = map[string]string{"changed": "true"}
	forged.Finalizers = nil
	forged.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n", UID: "1"}}
	forged.Spec = v1beta1.NodeMaintenanceSpec{NodeName: "worker-2", Requestor: "bob", Stage: v1beta1.StageIdle}
	forged.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseRunning, DrainProgress: ptr.To[int32](40)}
	s.put("admin", collection+"/a/status", forged).want(t, http.StatusOK)

	want := nm
	want.Status = forged.Status
	got := s.get("a")
	ignored := cmpopts.IgnoreFields(metav1.ObjectMeta{}, "ResourceVersion", "ManagedFields")
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("object differs (-want +got):\n%s", diff)
	}

	got.Status.DrainProgress = ptr.To[int32](101)
	s.put("admin", collection+"/a/status", got).want(t, http.StatusUnprocessableEntity).wantText(t, "status.drainProgress")

	s.do("admin", http.MethodPatch, collection+"/missing/status?fieldManager=test", asApply,
		`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"missing"},"status":{"phase":"Running"}}`).
		want(t, http.StatusNotFound)
}

// The object goes when the server takes its finalizer off, and not before.
func TestDelete(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	path := collection + "/a"
	removeFinalizer := func(requester string) answer {
		return s.do(requester, http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`)
	}
	removeFinalizer(server).want(t, http.StatusOK).wantText(t, "maintenance.medik8s.io/uncordon is kept")
	s.do("alice", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK)
	for _, requester := range []string{"alice", "admin"} {
		removeFinalizer(requester).want(t, http.StatusOK).wantText(t,
			`maintenance.medik8s.io/uncordon is kept: the server removes it when node "worker-1" has been given back`)
	}
	if got := s.get("a"); got.DeletionTimestamp == nil || len(got.Finalizers) != 1 {
		t.Errorf("got deletionTimestamp %v and finalizers %v", got.DeletionTimestamp, got.Finalizers)
	}
	removeFinalizer(server).want(t, http.StatusOK)
	s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusNotFound)
}

// A hold whose release gates do not pass can be told not to wait for them, while it is being deleted.
func TestBypassWhileDeleting(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	path := collection + "/a"
	s.do("alice", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, path, asMergePatch, `{"spec":{"bypassPolicies":true}}`).want(t, http.StatusUnprocessableEntity).
		wantText(t, "spec.reason: Required value: must say why bypassPolicies is set")
	const bypass = `{"spec":{"bypassPolicies":true,"reason":"the gate is broken"}}`
	s.rights.take("alice bypass nodes/maintenance")
	s.do("alice", http.MethodPatch, path, asMergePatch, bypass).want(t, http.StatusForbidden).
		wantText(t, `cannot bypass resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "worker-1", which spec.bypassPolicies asks for`)
	s.do("bob", http.MethodPatch, path, asMergePatch, bypass).want(t, http.StatusOK)
	if got := s.get("a"); !got.Spec.BypassPolicies || got.DeletionTimestamp == nil {
		t.Errorf("got bypassPolicies %v and deletionTimestamp %v, want both", got.Spec.BypassPolicies, got.DeletionTimestamp)
	}
	s.do("bob", http.MethodPatch, path, asMergePatch, `{"spec":{"bypassPolicies":false}}`).want(t, http.StatusUnprocessableEntity).
		wantText(t, "spec.bypassPolicies: Invalid value: false: cannot be unset")
}

// Nobody holds up an object that goes by putting the finalizer back.
func TestFinalizerCannotComeBack(t *testing.T) {
	s := startServer(t)
	path := collection + "/a"
	s.do("alice", http.MethodPost, collection, asJSON,
		`{"metadata":{"name":"a","finalizers":["example.com/own"]},"spec":{"nodeName":"worker-1"}}`).want(t, http.StatusCreated)
	s.do("alice", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK)
	s.do(server, http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":["example.com/own"]}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, path, asMergePatch,
		`{"metadata":{"finalizers":["example.com/own","maintenance.medik8s.io/uncordon"]}}`).
		want(t, http.StatusUnprocessableEntity).wantText(t, "metadata.finalizers")
	s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusNotFound)
}

func TestDeleteCollection(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.create("bob", "b", "worker-1")
	s.create("bob", "c", "worker-2")
	s.do("admin", http.MethodDelete, collection+"?fieldSelector=spec.requestor%3Dbob", asJSON, "").
		want(t, http.StatusOK).wantText(t, `node "worker-1" stays in maintenance: held by "a" of "alice"`)
	for name, wantDeleted := range map[string]bool{"a": false, "b": true, "c": true} {
		if deleted := s.get(name).DeletionTimestamp != nil; deleted != wantDeleted {
			t.Errorf("%s: deleted is %v, want %v", name, deleted, wantDeleted)
		}
	}
}
