// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const askingForAll = `{"metadata":{"name":"workers"},"spec":{"nodeSelector":{},"approvals":{"count":1}}}`

// approving is an approval of the hold as it is.
func approving(hold v1beta1.NodeMaintenance) string {
	return fmt.Sprintf(`{"decision":"Approved","uid":%q,"generation":%d}`, hold.UID, hold.Generation)
}

func TestApprovals(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, askingForAll).want(t, http.StatusCreated)
	hold := s.create("alice", "a", "worker-1")
	path := collection + "/a/approval"

	s.do("alice", http.MethodPost, path, asJSON, approving(hold)).want(t, http.StatusForbidden).
		wantText(t, `user "alice" has created it, and policy "workers" asks for the approval of somebody else`)
	s.do("bob", http.MethodPost, path+"?dryRun=All", asJSON, approving(hold)).want(t, http.StatusCreated)
	s.do("bob", http.MethodPost, path, asJSON, `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenanceApproval",
		"policy":"workers","decision":"Approved","uid":"`+string(hold.UID)+`","generation":1,"reason":"fine"}`).want(t, http.StatusCreated).
		wantText(t, `"kind":"MaintenanceApproval"`)
	stored := s.get("a").Status.Admission
	if stored == nil || len(stored.Approvals) != 1 || stored.Approvals[0].By != "bob" || stored.Approvals[0].Reason != "fine" {
		t.Fatalf("got %+v, want the approval of bob", stored)
	}
	s.do("alice", http.MethodPatch, collection+"/a", asMergePatch, `{"status":{"admission":null}}`).want(t, http.StatusOK)
	if s.get("a").Status.Admission == nil {
		t.Error("a write of the hold takes approvals away")
	}
	s.do("alice", http.MethodPatch, collection+"/a", asMergePatch, `{"spec":{"drain":{"timeoutSeconds":60}}}`).want(t, http.StatusOK)
	s.do("bob", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK).wantText(t, `"status":"Success"`)
	s.do("bob", http.MethodDelete, path, asJSON, "").want(t, http.StatusNotFound).wantText(t, `user "bob" has decided nothing`)
	s.do("bob", http.MethodGet, path, asJSON, "").want(t, http.StatusMethodNotAllowed)
}

func TestApprovalsNeedTheVerbApprove(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, askingForAll).want(t, http.StatusCreated)
	hold := s.create("alice", "a", "worker-1")
	path := collection + "/a/approval"
	s.do("bob", http.MethodPost, path, asJSON, approving(hold)).want(t, http.StatusCreated)
	s.rights.take("bob approve maintenancepolicies/", "mallory approve maintenancepolicies/")
	lacks := func(name, policy string) string {
		return `User "` + name + `" cannot approve resource "maintenancepolicies" in API group "maintenance.medik8s.io" named "` + policy + `"`
	}
	got := s.do("mallory", http.MethodPost, path, asJSON, `{"decision":"Denied"}`).want(t, http.StatusForbidden)
	if got.wantText(t, `user "mallory" may decide for no policy`); strings.Contains(string(got.body), "workers") {
		t.Errorf("the answer says which policies there are: %s", got.body)
	}
	got = s.do("mallory", http.MethodPost, path, asJSON, `{"decision":"Denied","policy":"secret"}`).want(t, http.StatusForbidden)
	if got.wantText(t, lacks("mallory", "secret")); strings.Contains(string(got.body), "workers") {
		t.Errorf("the answer says which policies there are: %s", got.body)
	}
	s.do("bob", http.MethodDelete, path, asJSON, "").want(t, http.StatusForbidden).wantText(t, lacks("bob", "workers"))
}

// An approval is a decision about one object with one UID, through whatever comes between.
func TestApprovalsPassAdmission(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, askingForAll).want(t, http.StatusCreated)
	hold := s.create("alice", "a", "worker-1")
	s.admission.seen()
	s.do("bob", http.MethodPost, collection+"/a/approval", asJSON, approving(hold)).want(t, http.StatusCreated)
	s.do("bob", http.MethodDelete, collection+"/a/approval", asJSON, "").want(t, http.StatusOK)
	want := "M CREATE nodemaintenances/approval a,V CREATE nodemaintenances/approval a,M DELETE nodemaintenances/approval a,V DELETE nodemaintenances/approval a"
	if got := strings.Join(s.admission.seen(), ","); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The status is the server's, but the decisions in it are people's.
func TestStatusWritesKeepApprovals(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, askingForAll).want(t, http.StatusCreated)
	hold := s.create("alice", "a", "worker-1")
	s.do("bob", http.MethodPost, collection+"/a/approval", asJSON, approving(hold)).want(t, http.StatusCreated)
	for _, status := range []string{`{"admission":null}`, `{"admission":{"approvals":null}}`, `{"admission":{"stage":"Idle","approvals":[]}}`} {
		s.do(server, http.MethodPatch, collection+"/a/status", asMergePatch, `{"status":`+status+`}`).want(t, http.StatusOK)
		admission := s.get("a").Status.Admission
		if admission == nil || len(admission.Approvals) != 1 {
			t.Errorf("%s: got %+v, want the approval to stay", status, admission)
		}
	}
	s.do(server, http.MethodPatch, collection+"/a/status", asMergePatch, `{"status":{"admission":{"approved":true,"stage":"Drain"}}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, collection+"/a", asMergePatch, `{"spec":{"drain":{"timeoutSeconds":60}}}`).want(t, http.StatusUnprocessableEntity).
		wantText(t, `spec.drain: Forbidden: is frozen: it was approved by "bob"; delete the NodeMaintenance and create another`)
	s.do("alice", http.MethodPatch, collection+"/a/status", asMergePatch, `{"status":{"lastError":"x","admission":null,"nodeUID":"u",`+
		`"nodeBefore":{"unschedulable":false}}}`).want(t, http.StatusOK)
	status := s.get("a").Status
	if status.Admission == nil || status.Admission.Stage != v1beta1.StageDrain || status.NodeUID != "" || status.NodeBefore != nil || status.LastError != "x" {
		t.Errorf("got %+v, want what has started to be said by the server alone", status)
	}
}
