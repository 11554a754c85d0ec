// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func (s *testServer) decide(by, nodeProfile, body string) answer {
	s.t.Helper()
	return s.do(by, http.MethodPost, nodeProfilesPath+"/"+nodeProfile+"/decision", asJSON, body)
}

func (s *testServer) nodeProfile(name string) v1beta1.NodeProfile {
	s.t.Helper()
	return decode[v1beta1.NodeProfile](s.t, s.do("alice", http.MethodGet, nodeProfilesPath+"/"+name, asJSON, "").want(s.t, http.StatusOK))
}

// decisions are who has decided what.
func (s *testServer) decisions(name string) []string {
	s.t.Helper()
	var all []string
	for _, decision := range s.nodeProfile(name).Status.Decisions {
		all = append(all, fmt.Sprintf("%s %s %s %d %s", decision.By, decision.Decision, decision.Transition, decision.Sequence, decision.Reason))
	}
	return all
}

// Two people decide, and one of them thinks again.
func TestDecisions(t *testing.T) {
	s := startServer(t)
	const name = "worker-1.flatcar"
	uid := s.newNodeProfile("worker-1", "flatcar").UID
	made := decode[v1beta1.NodeProfileDecision](t, s.decide("alice", name, fmt.Sprintf(`{"decision":"Approve","sequence":2,"uid":%q,"expirationSeconds":60}`, uid)).want(t, http.StatusCreated))
	if made.Name != name || made.UID != uid || made.CreationTimestamp.IsZero() {
		t.Errorf("the answer is %+v", made)
	}
	s.decide("bob", name, `{"decision":"Veto","transition":"start","sequence":2,"reason":"the sale"}`).want(t, http.StatusCreated)
	s.decide("bob", name, `{"decision":"Approve","transition":"start","sequence":2,"reason":"it is over"}`).want(t, http.StatusCreated)
	if got, want := s.decisions(name), []string{"alice Approve  2 ", "bob Approve start 2 it is over"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	first := s.nodeProfile(name).Status.Decisions[0]
	if first.ExpirationTime == nil || first.ExpirationTime.Sub(first.Time.Time).Seconds() != 60 {
		t.Errorf("it expires at %v, want 60 s after %v", first.ExpirationTime, first.Time)
	}
	s.do("bob", http.MethodDelete, nodeProfilesPath+"/"+name+"/decision", asJSON, "").want(t, http.StatusOK)
	s.do("bob", http.MethodDelete, nodeProfilesPath+"/"+name+"/decision", asJSON, "").want(t, http.StatusNotFound).
		wantText(t, `user "bob" has decided nothing that can be withdrawn`)
	if got, want := s.decisions(name), []string{"alice Approve  2 "}; !slices.Equal(got, want) {
		t.Errorf("after the withdrawal: got %q, want %q", got, want)
	}
	s.decide("carol", name, `{"decision":"Approve","sequence":2}`+"").want(t, http.StatusCreated)
	s.do("carol", http.MethodPost, nodeProfilesPath+"/"+name+"/decision?dryRun=All", asJSON, `{"decision":"Push","transition":"start","sequence":2,"reason":"r"}`).want(t, http.StatusCreated)
	if got, want := s.decisions(name), []string{"alice Approve  2 ", "carol Approve  2 "}; !slices.Equal(got, want) {
		t.Errorf("after a dry run: got %q, want %q", got, want)
	}
}

// What has started nothing yet can be taken back.
func TestPushIsWithdrawn(t *testing.T) {
	s := startServer(t)
	const name = "worker-1.flatcar"
	s.newNodeProfile("worker-1", "flatcar")
	s.decide("alice", name, `{"decision":"Push","transition":"start","sequence":2,"reason":"now"}`).want(t, http.StatusCreated)
	s.do("alice", http.MethodDelete, nodeProfilesPath+"/"+name+"/decision", asJSON, "").want(t, http.StatusOK)
	if got := s.decisions(name); len(got) > 0 {
		t.Errorf("after the withdrawal: got %q, want nothing", got)
	}
	s.decide("alice", name, `{"decision":"Push","transition":"start","sequence":2,"reason":"now"}`).want(t, http.StatusCreated)
	used := s.nodeProfile(name).Status.Decisions[0].DeepCopy()
	s.do(server, http.MethodPatch, nodeProfilesPath+"/"+name+"/status", asMergePatch, fmt.Sprintf(`{"status":{"decisions":[{"decision":"Push",`+
		`"transition":"start","sequence":2,"by":"alice","reason":"now","time":%q,"usedBy":"x"}]}}`, used.Time.UTC().Format(time.RFC3339))).want(t, http.StatusOK)
	s.do("alice", http.MethodDelete, nodeProfilesPath+"/"+name+"/decision", asJSON, "").want(t, http.StatusNotFound)
}

// Nobody decides on what they have not seen, nor on what is not there.
func TestRefusedDecisions(t *testing.T) {
	s := startServer(t)
	const name = "worker-1.flatcar"
	uid := s.newNodeProfile("worker-1", "flatcar").UID
	for body, want := range map[string]struct {
		code int
		text string
	}{
		`{"decision":"Approve"}`:                                                     {http.StatusUnprocessableEntity, "sequence: Required value"},
		`{"decision":"Approve","sequence":1}`:                                        {http.StatusConflict, "sequence is 1, but the NodeProfile is at sequence 2, in the state MaintenanceRequired: look at it before you decide"},
		`{"decision":"Approve","sequence":2,"uid":"x"}`:                              {http.StatusConflict, "uid is x, but the NodeProfile of this name has the UID " + string(uid)},
		`{"decision":"Veto","sequence":2,"transition":"done","reason":"r"}`:          {http.StatusConflict, `no transition "done" leads out of the state MaintenanceRequired: there are start`},
		`{"decision":"Abort","sequence":2,"reason":"r"}`:                             {http.StatusConflict, "no transition is being done, so there is nothing to abort"},
		`{"decision":"Push","sequence":2,"reason":"r"}`:                              {http.StatusUnprocessableEntity, "transition: Required value"},
		`{"decision":"Approve","sequence":2,"metadata":{"name":"worker-2.flatcar"}}`: {http.StatusUnprocessableEntity, "metadata.name: Invalid value"},
		`{"decision":"Push","sequence":2,"transition":"nope","reason":"r"}`:          {http.StatusConflict, `no transition "nope" leads out of the state`},
	} {
		s.decide("alice", name, body).want(t, want.code).wantText(t, want.text)
	}
	s.decide("alice", "worker-2.flatcar", `{"decision":"Approve","sequence":2}`).want(t, http.StatusNotFound)
	s.do(server, http.MethodPatch, nodeProfilesPath+"/"+name+"/status", asMergePatch, `{"status":{"transition":{"id":"x","phase":"Triggers","name":"start",`+
		`"from":"MaintenanceRequired","next":"InMaintenance","decidedTime":"2026-01-01T00:00:00.000000Z"}}}`).want(t, http.StatusOK)
	s.decide("alice", name, `{"decision":"Push","sequence":2,"transition":"start","reason":"r"}`).want(t, http.StatusConflict).
		wantText(t, `transition "start" is being done already: wait for its end, or abort it first`)
	s.decide("alice", name, `{"decision":"Abort","sequence":2,"transition":"done","reason":"r"}`).want(t, http.StatusConflict).wantText(t, `transition "start" is being done, and not "done"`)
	s.decide("alice", name, `{"decision":"Abort","sequence":2,"reason":"it hangs"}`).want(t, http.StatusCreated)
}

// RBAC for nodeprofiles/decision does not see the node, nor what is decided.
func TestRightToDecide(t *testing.T) {
	s := startServer(t)
	const name = "worker-1.flatcar"
	s.newNodeProfile("worker-1", "flatcar")
	s.rights.take("bob veto nodes/profiles", "bob force nodes/profiles", "mallory approve nodes/profiles")
	const lacks = `cannot %s resource "nodes/profiles" in API group "maintenance.medik8s.io" named "worker-1"`
	s.decide("bob", name, `{"decision":"Veto","sequence":2,"reason":"r"}`).want(t, http.StatusForbidden).wantText(t, fmt.Sprintf(lacks, "veto"))
	s.decide("bob", name, `{"decision":"Push","transition":"start","sequence":2,"reason":"r"}`).want(t, http.StatusForbidden).wantText(t, fmt.Sprintf(lacks, "force"))
	s.decide("bob", name, `{"decision":"Abort","sequence":2,"reason":"r"}`).want(t, http.StatusForbidden).wantText(t, fmt.Sprintf(lacks, "force"))
	s.decide("bob", name, `{"decision":"Approve","sequence":2}`).want(t, http.StatusCreated)
	// Who may not decide does not learn what there is.
	s.decide("mallory", name, `{"decision":"Approve","sequence":1}`).want(t, http.StatusForbidden).wantText(t, fmt.Sprintf(lacks, "approve"))
	s.decide("mallory", "worker-1.esx", `{"decision":"Approve","sequence":1}`).want(t, http.StatusForbidden).wantText(t, fmt.Sprintf(lacks, "approve"))
	s.rights.take("bob approve nodes/profiles")
	s.do("bob", http.MethodDelete, nodeProfilesPath+"/"+name+"/decision", asJSON, "").want(t, http.StatusForbidden).wantText(t, fmt.Sprintf(lacks, "approve"))
}

// Many decide while the server enters another state. None of their decisions is lost before that, and none is stored after.
func TestDecisionsRaceWithTheNextState(t *testing.T) {
	s := startServer(t)
	const name = "worker-1.flatcar"
	s.newNodeProfile("worker-1", "flatcar")
	var deciding sync.WaitGroup
	accepted := make([]bool, 10)
	for i := range accepted {
		deciding.Go(func() {
			accepted[i] = s.decide(fmt.Sprintf("user-%d", i), name, `{"decision":"Approve","sequence":2}`).code == http.StatusCreated
		})
	}
	deciding.Go(func() {
		for entered := false; !entered; {
			current := s.nodeProfile(name)
			current.Status.Sequence, current.Status.State = 3, v1beta1.ProfileInMaintenance
			entered = s.do(server, http.MethodPut, nodeProfilesPath+"/"+name+"/status", asJSON, encode(t, current)).code == http.StatusOK
		}
	})
	deciding.Wait()
	want := 0
	for _, ok := range accepted {
		if ok {
			want++
		}
	}
	got := s.nodeProfile(name)
	if len(got.Status.Decisions) != want || got.Status.Sequence != 3 {
		t.Errorf("%d decisions are stored at sequence %d, want the %d that were accepted at sequence 3", len(got.Status.Decisions), got.Status.Sequence, want)
	}
}

// A status stays small: decisions that do not count any more make room for new ones.
func TestManyDecisions(t *testing.T) {
	s := startServer(t)
	const name = "worker-1.flatcar"
	s.newNodeProfile("worker-1", "flatcar")
	for i := range v1beta1.MaxDecisions {
		s.decide(fmt.Sprintf("user-%d", i), name, `{"decision":"Approve","sequence":2}`).want(t, http.StatusCreated)
	}
	s.decide("alice", name, `{"decision":"Approve","sequence":2}`).want(t, http.StatusForbidden).
		wantText(t, "it has 20 decisions that count, and can have no more: somebody must withdraw one first")
	s.do(server, http.MethodPatch, nodeProfilesPath+"/"+name+"/status", asMergePatch, `{"status":{"sequence":3}}`).want(t, http.StatusOK)
	s.decide("alice", name, `{"decision":"Approve","sequence":3}`).want(t, http.StatusCreated)
	if got := s.decisions(name); len(got) != v1beta1.MaxDecisions || got[19] != "alice Approve  3 " {
		t.Errorf("got %q", got)
	}
}

// A recorded patch has parts of objects that readers of NodeProfiles may not read.
func TestPatchesAreNotShown(t *testing.T) {
	s := startServer(t)
	s.newNodeProfile("worker-1", "flatcar")
	const name, secret = "worker-1.flatcar", "hunter2"
	path := nodeProfilesPath + "/" + name
	s.do(server, http.MethodPatch, path+"/status", asMergePatch, fmt.Sprintf(`{"status":{"transition":{"id":"a/2.1","phase":"Triggers","name":"start",`+
		`"from":"Operational","next":"InMaintenance","decidedTime":"2026-11-20T12:00:00.000000Z","steps":[{"id":"0-a","state":"Running",`+
		`"trigger":{"name":"a","patchObject":{"apiVersion":"v1","resource":"configmaps","namespace":"a","nameExpression":"'a'","patchExpression":"{}"}},`+
		`"object":"a","patch":%q}]}}}`, secret)).want(t, http.StatusOK)
	reads := map[string]string{
		"get": path, "get status": path + "/status", "list": nodeProfilesPath, "list of a node": nodeProfilesPath + "?fieldSelector=spec.nodeName%3Dworker-1",
		"watch": nodeProfilesPath + "?watch=true&resourceVersion=0&timeoutSeconds=1", "a list that goes on": nodeProfilesPath + "?limit=1",
		"watch of a node":   nodeProfilesPath + "?watch=true&timeoutSeconds=1&resourceVersion=0&fieldSelector=spec.nodeName%3Dworker-1",
		"watch that begins": nodeProfilesPath + "?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
	}
	for what, path := range reads {
		if got := string(s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK).body); strings.Contains(got, secret) || !strings.Contains(got, "(not shown)") {
			t.Errorf("%s: alice got %s, want that the patch is not shown", what, got)
		}
		if got := string(s.do("alice", http.MethodGet, path, asTable, "").want(t, http.StatusOK).body); strings.Contains(got, secret) {
			t.Errorf("%s as a table: alice got %s", what, got)
		}
		if got := string(s.do(server, http.MethodGet, path, asJSON, "").want(t, http.StatusOK).body); !strings.Contains(got, secret) {
			t.Errorf("%s: the server got %s, want the patch", what, got)
		}
	}
	if got := string(s.decide("alice", name, `{"decision":"Veto","sequence":2,"reason":"r"}`).want(t, http.StatusCreated).body); strings.Contains(got, secret) {
		t.Errorf("a decision is answered with %s", got)
	}
}
