// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// richHold is a hold with much that no old version has.
const richHold = `{"metadata":{"name":"a"},"spec":{"nodeName":"worker-1","reason":"disk","stage":"Cordon","expirationSeconds":3600,"priority":-5,` +
	`"notBefore":"2099-12-05T20:00:00Z","startDeadline":"2099-12-06T20:00:00Z","bypassPolicies":true,` +
	`"drain":{"timeoutSeconds":600,"emptyDirPods":"Block","rules":[{"podSelector":{"matchLabels":{"app":"db"}},"action":"Skip"}]}}}`

var changedByWrites = cmpopts.IgnoreFields(metav1.ObjectMeta{}, "ResourceVersion", "ManagedFields", "Generation")

// What an old version lacks survives every write of an old client.
func TestOldClientsLoseNothing(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.do("alice", http.MethodPost, collection, asJSON, richHold).want(t, http.StatusCreated)
		s.do(server, http.MethodPatch, collection+"/a/status", asMergePatch, `{"status":{"phase":"Pending","nodeUID":"u","blockedPodCount":1,`+
			`"pendingPods":["x/y"],"pendingPodCount":101,"blockers":[{"pod":"x/y","reason":"OwnPod"}],"nodeBefore":{"unschedulable":true},`+
			`"admission":{"stage":"Idle","waitingFor":[{"policy":"workers","reason":"Queued","message":"2 of 2 nodes in maintenance"}]},`+
			`"conditions":[{"type":"Cordoned","status":"False","reason":"LeaseHeld","message":"wait","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`).want(t, http.StatusOK)
		want, path := s.get("a"), in(version)+"/a"
		for name, write := range map[string]func() answer{
			"update": func() answer {
				seen := s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK)
				return s.do("alice", http.MethodPut, path, asJSON, strings.Replace(string(seen.body), `"disk"`, `"new disk"`, 1))
			},
			"update of the status": func() answer {
				seen := s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK)
				return s.do("alice", http.MethodPut, path+"/status", asJSON, string(seen.body))
			},
			"patch": func() answer {
				return s.do("alice", http.MethodPatch, path, asMergePatch, `{"spec":{"reason":"new disk"}}`)
			},
			"JSON patch": func() answer {
				return s.do("alice", http.MethodPatch, path, "application/json-patch+json", `[{"op":"replace","path":"/spec/reason","value":"new disk"}]`)
			},
			"apply": func() answer {
				return s.do("alice", http.MethodPatch, path+"?fieldManager=x&force=true", asApply, strings.Replace(sample(version, "a", "worker-1"), "Test node maintenance", "new disk", 1))
			},
		} {
			write().want(t, http.StatusOK)
			got := s.get("a")
			if name != "update of the status" && got.Spec.Reason != "new disk" {
				t.Errorf("%s: got reason %q, want new disk", name, got.Spec.Reason)
			}
			got.Spec.Reason = "disk"
			if diff := cmp.Diff(want, got, changedByWrites); diff != "" {
				t.Errorf("%s: the hold differs (-want +got):\n%s", name, diff)
			}
			s.do("alice", http.MethodPatch, collection+"/a", asMergePatch, `{"spec":{"reason":"disk"}}`).want(t, http.StatusOK)
		}
	})
}

// An old client's status is stored where it says something new.
func TestOldStatusUpdate(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.do("alice", http.MethodPatch, in(medik8s)+"/a/status", asMergePatch,
		`{"spec":{"nodeName":"worker-2"},"status":{"drainProgress":30,"totalpods":7,"pendingPodsRefs":[{"namespace":"x","name":"y"}]}}`).want(t, http.StatusOK)
	got := s.get("a")
	if got.Status.TotalPods != 7 || *got.Status.DrainProgress != 30 || got.Status.PendingPods[0] != "x/y" || got.Status.Phase != v1beta1.PhasePending || got.Spec.NodeName != "worker-1" {
		t.Errorf("got %+v on %s, want 7 pods, 30 %%, x/y pending and phase Pending, on worker-1", got.Status, got.Spec.NodeName)
	}
}

// apply applies a manifest, and returns the hold.
func (s *testServer) apply(t *testing.T, manager, version, spec string, wantCode int, query ...string) v1beta1.NodeMaintenance {
	t.Helper()
	s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager="+manager+strings.Join(query, ""), asApply,
		`{"apiVersion":"`+version+`","kind":"NodeMaintenance","metadata":{"name":"a"},"spec":`+spec+`}`).want(t, wantCode)
	return s.get("a")
}

const own = "maintenance.medik8s.io/v1beta1"

// One manager may apply through one group after the other. Who owns what is known under all names.
func TestApplyAcrossGroups(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.apply(t, "x", version, `{"nodeName":"worker-1","reason":"disk"}`, http.StatusCreated)
		s.apply(t, "x", own, `{"nodeName":"worker-1","reason":"disk","stage":"Cordon","drain":{"timeoutSeconds":600}}`, http.StatusOK)
		hold := s.apply(t, "x", own, `{"nodeName":"worker-1","reason":"power","stage":"Cordon","drain":{"timeoutSeconds":600}}`, http.StatusOK)
		if hold.Spec.Stage != v1beta1.StageCordon || hold.Spec.Drain.TimeoutSeconds == nil || hold.Spec.Reason != "power" {
			t.Errorf("got %+v, want what was applied", hold.Spec)
		}
		hold = s.apply(t, "x", version, `{"nodeName":"worker-1","reason":"disk"}`, http.StatusOK)
		if hold.Spec.Stage != v1beta1.StageCordon || hold.Spec.Drain.TimeoutSeconds == nil || hold.Spec.Reason != "disk" {
			t.Errorf("got %+v, want a new reason and nothing else", hold.Spec)
		}
		hold = s.apply(t, "x", version, `{"nodeName":"worker-1"}`, http.StatusOK)
		if hold.Spec.Reason != "" {
			t.Errorf("got reason %q, want none: its only owner applies none any more", hold.Spec.Reason)
		}
		if diff := cmp.Diff([]string{"x Apply " + own}, owners(hold)); diff != "" {
			t.Errorf("owners differ (-want +got):\n%s", diff)
		}
	})
}

// Managers keep what they own when another one writes through another group, and a conflict is found.
func TestOwnersAcrossGroups(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.apply(t, "x", own, `{"nodeName":"worker-1","reason":"disk","drain":{"timeoutSeconds":600}}`, http.StatusCreated)
		s.apply(t, "y", version, `{"nodeName":"worker-1","reason":"power"}`, http.StatusConflict)
		hold := s.apply(t, "y", version, `{"nodeName":"worker-1","reason":"disk"}`, http.StatusOK)
		s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager=z", asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`).want(t, http.StatusOK)
		s.do("alice", http.MethodPatch, collection+"/a?fieldManager=z", asMergePatch, `{"metadata":{"labels":{"c":"d"}}}`).want(t, http.StatusOK)
		s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager=z", asMergePatch, `{"metadata":{"labels":{"e":"f"}}}`).want(t, http.StatusOK)
		after := s.get("a")
		if diff := cmp.Diff([]string{"x Apply " + own, "y Apply " + own, "z Update " + own}, owners(after)); diff != "" {
			t.Errorf("owners differ (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(fieldsOf(t, hold, "x"), fieldsOf(t, after, "x")); diff != "" || !strings.Contains(fieldsOf(t, after, "x"), "timeoutSeconds") {
			t.Errorf("x owns %s; it differs (-before +after):\n%s", fieldsOf(t, after, "x"), diff)
		}
		if got := fieldsOf(t, after, "z"); !strings.Contains(got, "f:a") || !strings.Contains(got, "f:c") || !strings.Contains(got, "f:e") {
			t.Errorf("z owns %s, want all three labels", got)
		}
	})
}

// A write that changes nothing is not stored.
func TestOldWritesThatChangeNothing(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.apply(t, "x", version, `{"nodeName":"worker-1","reason":"disk"}`, http.StatusCreated)
		s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager=z", asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`).want(t, http.StatusOK)
		want := s.ownedSince(t, 2020).ResourceVersion
		before := s.do("alice", http.MethodGet, in(version)+"/a", asJSON, "").want(t, http.StatusOK)
		if got := s.apply(t, "x", version, `{"nodeName":"worker-1","reason":"disk"}`, http.StatusOK).ResourceVersion; got != want {
			t.Errorf("an apply gave version %s, want %s as before", got, want)
		}
		s.do("alice", http.MethodPut, in(version)+"/a?fieldManager=z", asJSON, string(before.body)).want(t, http.StatusOK)
		s.do("alice", http.MethodPut, in(version)+"/a/status?fieldManager=z", asJSON, string(before.body)).want(t, http.StatusOK)
		if got := s.get("a").ResourceVersion; got != want {
			t.Errorf("updates gave version %s, want %s as before", got, want)
		}
	})
}

// ownedSince dates back what the managers wrote, so that a new time would be another one.
func (s *testServer) ownedSince(t *testing.T, year int) v1beta1.NodeMaintenance {
	t.Helper()
	hold, past := s.get("a"), metav1.NewTime(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
	for i := range hold.ManagedFields {
		hold.ManagedFields[i].Time = &past
	}
	hold.Labels["c"] = "d"
	s.put("alice", collection+"/a?fieldManager=w", hold).want(t, http.StatusOK)
	if hold = s.get("a"); hold.ManagedFields[0].Time.Year() != year {
		t.Fatalf("the times were not stored: %v", hold.ManagedFields)
	}
	return hold
}

// owners are the managers of fields, each with its operation and version.
func owners(hold v1beta1.NodeMaintenance) []string {
	var owners []string
	for _, entry := range hold.ManagedFields {
		owners = append(owners, entry.Manager+" "+string(entry.Operation)+" "+entry.APIVersion)
	}
	slices.Sort(owners)
	return owners
}

func fieldsOf(t *testing.T, hold v1beta1.NodeMaintenance, manager string) string {
	t.Helper()
	for _, entry := range hold.ManagedFields {
		if entry.Manager == manager {
			fields, err := json.Marshal(entry.FieldsV1)
			if err != nil {
				t.Fatal(err)
			}
			return string(fields)
		}
	}
	return ""
}
