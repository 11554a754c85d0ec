// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const eventsPath = "/apis/maintenance.medik8s.io/v1beta1/scheduledevents"

// reboot is a part of a spec that asks for nothing at once.
const reboot = `"code":"system-reboot","notBefore":"2099-12-05T20:00:00Z",`

// event is the body of a ScheduledEvent.
func event(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"ScheduledEvent","metadata":{"name":%q},"spec":{%s}}`, name, spec)
}

func (s *testServer) event(name string) v1beta1.ScheduledEvent {
	s.t.Helper()
	return decode[v1beta1.ScheduledEvent](s.t, s.do("alice", http.MethodGet, eventsPath+"/"+name, asJSON, "").want(s.t, http.StatusOK))
}

// Users write the spec, and the server the status and the finalizer.
func TestEventIsServed(t *testing.T) {
	s := startServer(t)
	created := s.do("alice", http.MethodPatch, eventsPath+"/a?fieldManager=test", asApply, event("a", reboot+`"nodeName":"worker-1"`)).want(t, http.StatusCreated)
	if len(created.warnings) > 0 {
		t.Errorf("warnings of an event that has nothing odd: %q", created.warnings)
	}
	got := s.event("a")
	if got.Spec.Source != "manual" || got.Spec.State != v1beta1.EventScheduled || got.Status.Phase != v1beta1.EventPhasePending ||
		got.Generation != 1 || !slices.Equal(got.Finalizers, []string{v1beta1.EventFinalizer}) {
		t.Errorf("got %+v", got)
	}
	status := `{"status":{"phase":"Draining","nodeName":"worker-1"}}`
	s.do("alice", http.MethodPatch, eventsPath+"/a/status", asMergePatch, status).want(t, http.StatusForbidden).
		wantText(t, "only maintenance-apiserver itself writes the status of ScheduledEvents; to say that an event has happened, or does not happen, set its spec.state")
	s.do("alice", http.MethodPatch, eventsPath+"/a", asMergePatch, status).want(t, http.StatusOK)
	if phase := s.event("a").Status.Phase; phase != v1beta1.EventPhasePending {
		t.Errorf("a user has set the phase to %s", phase)
	}
	s.do(server, http.MethodPatch, eventsPath+"/a/status", asMergePatch, status).want(t, http.StatusOK)
	for _, selector := range []string{"status.phase=Draining,status.nodeName=worker-1", "spec.nodeName=worker-1,spec.source=manual,spec.instanceID="} {
		list := decode[v1beta1.ScheduledEventList](t, s.do("alice", http.MethodGet, eventsPath+"?fieldSelector="+strings.ReplaceAll(selector, "=", "%3D"), asJSON, "").want(t, http.StatusOK))
		if len(list.Items) != 1 {
			t.Errorf("%s selects %d events, want 1", selector, len(list.Items))
		}
	}
	s.do("alice", http.MethodGet, eventsPath+"?fieldSelector=spec.code%3Da", asJSON, "").want(t, http.StatusBadRequest).wantText(t, "use metadata.name, spec.nodeName")
}

// An event stays until the server has withdrawn what it has begun.
func TestEventStaysUntilTheServerLetsItGo(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, eventsPath, asJSON, event("a", reboot+`"nodeName":"worker-1"`)).want(t, http.StatusCreated)
	s.do("alice", http.MethodDelete, eventsPath+"/a", asJSON, "").want(t, http.StatusOK)
	const without = `{"metadata":{"finalizers":null}}`
	s.do("alice", http.MethodPatch, eventsPath+"/a", asMergePatch, without).want(t, http.StatusOK).
		wantText(t, "metadata.finalizers: maintenance.medik8s.io/withdraw is kept")
	if s.event("a").DeletionTimestamp == nil {
		t.Error("the event is not being deleted")
	}
	s.do(server, http.MethodPatch, eventsPath+"/a", asMergePatch, without).want(t, http.StatusOK)
	s.do("alice", http.MethodGet, eventsPath+"/a", asJSON, "").want(t, http.StatusNotFound)
}

func TestWarningsOfEvents(t *testing.T) {
	s := startServer(t)
	for name, test := range map[string]struct{ spec, want string }{
		"no such node":       {reboot + `"nodeName":"worker-9"`, `node "worker-9" does not exist: the event stays Pending until it appears`},
		"no such instance":   {reboot + `"instanceID":"i-9"`, `no node has the instance id "i-9", which is the last part of spec.providerID: the event stays Pending until one has`},
		"no such node, past": {`"nodeName":"worker-9","code":"system-reboot","notBefore":"2020-12-05T20:00:00Z"`, `node "worker-9" does not exist`},
		"no such node, odd":  {`"nodeName":"worker-9","code":"x"`, `nothing is done for code "x"`},
		"neither":            {reboot + `"nodeName":"worker-9","instanceID":"i-9"`, `node "worker-9" does not exist`},
		"an odd code":        {`"nodeName":"worker-1","code":"x","notBefore":"2099-12-05T20:00:00Z"`, `nothing is done for code "x"`},
		"no machine API":     {`"nodeName":"worker-1","code":"instance-stop","notBefore":"2099-12-05T20:00:00Z"`, `this server is not to use machine APIs (--machine-api, in the chart cloudEvents.machineAPI): the node is at most drained`},
		"no times":           {`"nodeName":"worker-1","code":"system-reboot"`, "spec: the drain starts as soon as windows and limits of policies allow"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := s.do("alice", http.MethodPost, eventsPath+"?dryRun=All", asJSON, event("a", test.spec)).want(t, http.StatusCreated)
			if len(answer.warnings) != 1 {
				t.Errorf("warnings: %q, want one", answer.warnings)
			}
			answer.wantText(t, test.want)
		})
	}
}

// Without the permission for its node, nothing can be done with an event: no dry run, no delete of several, and nothing that
// tells of it before.
func TestEventOfAnotherTeam(t *testing.T) {
	s := startServer(t)
	s.do("bob", http.MethodPost, eventsPath, asJSON, event("a", reboot+`"nodeName":"worker-1"`)).want(t, http.StatusCreated)
	s.rights.take("alice schedule nodes/maintenance")
	before := s.event("a")
	for _, request := range []struct{ method, path, kind, body string }{
		{http.MethodPost, "?dryRun=All", asJSON, event("b", reboot+`"nodeName":"worker-1"`)},
		{http.MethodPatch, "/b?fieldManager=test", asApply, event("b", reboot+`"nodeName":"worker-1"`)},
		{http.MethodPatch, "/a", asMergePatch, `{"spec":{"state":"Canceled"}}`},
		{http.MethodPatch, "/a", asMergePatch, `{"spec":{"state":"bad"}}`},
		{http.MethodPatch, "/a", asMergePatch, `{"metadata":{"resourceVersion":"1"},"spec":{"state":"Canceled"}}`},
		{http.MethodDelete, "/a?dryRun=All", asJSON, ""},
		{http.MethodDelete, "/a", asJSON, ""},
		{http.MethodDelete, "", asJSON, ""},
	} {
		s.do("alice", request.method, eventsPath+request.path, request.kind, request.body).want(t, http.StatusForbidden).
			wantText(t, `User "alice" cannot schedule resource "nodes/maintenance"`)
	}
	if diff := cmp.Diff(before, s.event("a")); diff != "" {
		t.Errorf("the event has changed (-before +after):\n%s", diff)
	}
}
