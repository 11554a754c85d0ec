// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	nodes      = "/apis/maintenance.medik8s.io/v1beta1/nodes"
	ofWorker1  = nodes + "/worker-1/maintenance"
	alicesHold = "worker-1-2bd806c97f0e00af1a1fc3328fa763a9"
)

// What a team does with its node, without a name for anything but the node.
func TestMaintenanceOfANode(t *testing.T) {
	s := startServer(t)
	dry := decode[v1beta1.NodeMaintenance](t, s.do("alice", http.MethodPost, ofWorker1+"?dryRun=All", asJSON, `{}`).want(t, http.StatusCreated))
	if dry.Name != alicesHold || dry.Status.Plan == nil {
		t.Errorf("a dry run answers with %s, plan %v", dry.Name, dry.Status.Plan)
	}
	s.do("alice", http.MethodGet, collection+"/"+alicesHold, asJSON, "").want(t, http.StatusNotFound)

	hold := decode[v1beta1.NodeMaintenance](t, s.do("alice", http.MethodPost, ofWorker1, asJSON, `{"spec":{"reason":"new disk"}}`).want(t, http.StatusCreated))
	if hold.Name != alicesHold || hold.Spec.NodeName != "worker-1" || hold.Spec.Requestor != "alice" || hold.Spec.Reason != "new disk" || hold.Spec.Stage != v1beta1.StageDrain {
		t.Errorf("got %s with %+v", hold.Name, hold.Spec)
	}
	s.do("alice", http.MethodPost, ofWorker1, asJSON, `{}`).want(t, http.StatusConflict).
		wantText(t, `"`+alicesHold+`" already exists: you hold node "worker-1" since `)
	s.do("bob", http.MethodPost, ofWorker1, asJSON, `{}`).want(t, http.StatusCreated).
		wantText(t, `node "worker-1" is in maintenance already: held by "`+alicesHold+`" of "alice" since `)

	holds := decode[v1beta1.NodeMaintenanceList](t, s.do("carol", http.MethodGet, ofWorker1, asJSON, "").want(t, http.StatusOK))
	if len(holds.Items) != 2 || holds.Items[0].Name != alicesHold {
		t.Errorf("got %d holds, want alice's and bob's", len(holds.Items))
	}
	table := decode[metav1.Table](t, s.do("carol", http.MethodGet, ofWorker1, asTable, "").want(t, http.StatusOK))
	if len(table.Rows) != 2 || table.Rows[0].Cells[1] != "worker-1" {
		t.Errorf("got rows %v", table.Rows)
	}
	s.do("carol", http.MethodDelete, ofWorker1, asJSON, "").want(t, http.StatusNotFound).
		wantText(t, `you do not hold the node; held by "`+alicesHold+`" of "alice", "worker-1-`)

	ended := decode[v1beta1.NodeMaintenanceList](t, s.do("alice", http.MethodDelete, ofWorker1, asJSON, "").want(t, http.StatusOK).
		wantText(t, `node "worker-1" stays in maintenance: held by "worker-1-`))
	if len(ended.Items) != 1 || ended.Items[0].DeletionTimestamp == nil {
		t.Errorf("got %+v, want alice's hold, on its way out", ended.Items)
	}
	s.do("alice", http.MethodPost, ofWorker1, asJSON, `{}`).want(t, http.StatusConflict).wantText(t, "is ending; try again when it is gone")
	s.do("alice", http.MethodDelete, ofWorker1, asJSON, "").want(t, http.StatusOK)
	s.do("alice", http.MethodDelete, nodes+"/worker-2/maintenance", asJSON, "").want(t, http.StatusNotFound).wantText(t, "nobody holds the node")
}

// Every hold of the caller's ends, whichever way it was created; or the one that is meant.
func TestEndOfSeveralHolds(t *testing.T) {
	s := startServer(t)
	first := s.create("alice", "a", "worker-1")
	s.create("alice", "b", "worker-1")
	s.create("alice", "elsewhere", "worker-2")
	s.create("bob", "c", "worker-1")
	s.do("alice", http.MethodDelete, ofWorker1, asJSON, `{"preconditions":{"uid":"replayed"}}`).want(t, http.StatusConflict).wantText(t, "none of your holds has the UID replayed")
	active := func() (names []string) {
		for _, hold := range s.list(nil).Items {
			if hold.DeletionTimestamp == nil {
				names = append(names, hold.Name)
			}
		}
		return names
	}
	s.do("alice", http.MethodDelete, ofWorker1+"?dryRun=All", asJSON, "").want(t, http.StatusOK)
	if got := active(); !slices.Equal(got, []string{"a", "b", "c", "elsewhere"}) {
		t.Errorf("after a dry run and a refusal %v are left", got)
	}
	s.do("alice", http.MethodDelete, ofWorker1, asJSON, `{"preconditions":{"uid":"`+string(first.UID)+`"}}`).want(t, http.StatusOK)
	if got := active(); !slices.Equal(got, []string{"b", "c", "elsewhere"}) {
		t.Errorf("after the end of one %v are left", got)
	}
	s.do("alice", http.MethodDelete, ofWorker1, asJSON, "").want(t, http.StatusOK)
	if got := active(); !slices.Equal(got, []string{"c", "elsewhere"}) {
		t.Errorf("after the end of all %v are left", got)
	}
}

func TestRefusedThroughANode(t *testing.T) {
	s := startServer(t)
	tests := map[string]struct {
		path, body string
		code       int
		want       string
	}{
		"another node":       {path: ofWorker1, body: `{"spec":{"nodeName":"worker-2"}}`, code: 422, want: `spec.nodeName: Invalid value: "worker-2": must be "worker-1", the node in the URL, or left out`},
		"another name":       {path: ofWorker1, body: `{"metadata":{"name":"mine"}}`, code: 422, want: `metadata.name: Invalid value: "mine": the server names it: must be "` + alicesHold + `" or left out`},
		"a generated name":   {path: ofWorker1, body: `{"metadata":{"generateName":"mine-"}}`, code: 422, want: "metadata.generateName: Forbidden: the server names it"},
		"a forged requestor": {path: ofWorker1, body: `{"spec":{"requestor":"bob"}}`, code: 422, want: "spec.requestor"},
		"not a node's name":  {path: nodes + "/Worker_1/maintenance", body: `{}`, code: 422, want: `spec.nodeName: Invalid value: "Worker_1"`},
		"another kind":       {path: ofWorker1, body: `{"apiVersion":"v1","kind":"Pod"}`, code: 400},
		"unknown field":      {path: ofWorker1 + "?fieldValidation=Strict", body: `{"spec":{"Reason":"x"}}`, code: 400, want: `unknown field "spec.Reason"`},
		"unknown parameter":  {path: nodes + "/worker-1/drainplan?podselector=a", code: 400, want: `unknown query parameter "podselector": use hold, podSelector,`},
		"bad selector":       {path: nodes + "/worker-1/drainplan?podSelector=a%20b", code: 422, want: "podSelector: Invalid value"},
		"bad number":         {path: nodes + "/worker-1/drainplan?gracePeriodSeconds=soon", code: 400},
		"number too small":   {path: nodes + "/worker-1/drainplan?gracePeriodSeconds=0", code: 422, want: "gracePeriodSeconds"},
		"bad policy":         {path: nodes + "/worker-1/drainplan?unmanagedPods=Keep", code: 422, want: "unmanagedPods"},
		"plan of no node":    {path: nodes + "/worker-9/drainplan", code: 404, want: `nodes.maintenance.medik8s.io "worker-9" not found`},
		"holds of no node":   {path: nodes + "/worker-9/maintenance", code: 404, want: `nodes.maintenance.medik8s.io "worker-9" not found`},
		"state of no node":   {path: nodes + "/worker-9", code: 404},
		"bad field":          {path: nodes + "?fieldSelector=status.color=red", code: 400, want: "use metadata.name or status.state"},
		"bad continue":       {path: nodes + "?limit=1&continue=%21", code: 400, want: "continue is not valid"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			method := http.MethodGet
			if test.body != "" {
				method = http.MethodPost
			}
			s.do("alice", method, test.path, asJSON, test.body).want(t, test.code).wantText(t, test.want)
			if left := s.list(nil).Items; len(left) != 0 {
				t.Errorf("%d holds are stored", len(left))
			}
		})
	}
}

// A hold that an earlier version of the server stored, with a shorter name, works like any other.
func TestHoldOfAnEarlierVersion(t *testing.T) {
	s := startServer(t)
	s.create("alice", "worker-1-2bd806c9", "worker-1")
	s.do("alice", http.MethodPost, ofWorker1, asJSON, `{}`).want(t, http.StatusConflict).
		wantText(t, `"worker-1-2bd806c9" already exists: you hold node "worker-1" since `)
	holds := decode[v1beta1.NodeMaintenanceList](t, s.do("alice", http.MethodGet, ofWorker1, asJSON, "").want(t, http.StatusOK))
	if len(holds.Items) != 1 || holds.Items[0].Name != "worker-1-2bd806c9" {
		t.Errorf("got %+v, want the one hold", holds.Items)
	}
	s.do("alice", http.MethodDelete, ofWorker1, asJSON, "").want(t, http.StatusOK)
	s.do("alice", http.MethodPost, ofWorker1, asJSON, `{}`).want(t, http.StatusConflict).wantText(t, "is ending; try again when it is gone")

	// Somebody else takes such a name for a hold of their own.
	s.create("mallory", "worker-2-2bd806c9", "worker-2")
	s.do("alice", http.MethodPost, nodes+"/worker-2/maintenance", asJSON, `{}`).want(t, http.StatusCreated)
}

func TestStatesOfNodes(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.create("bob", "b", "worker-1")
	list := func(query url.Values) v1beta1.NodeStateList {
		return decode[v1beta1.NodeStateList](t, s.do("alice", http.MethodGet, nodes+"?"+query.Encode(), asJSON, "").want(t, http.StatusOK))
	}
	names := func(query url.Values) string {
		var names []string
		for _, state := range list(query).Items {
			names = append(names, state.Name)
		}
		return strings.Join(names, " ")
	}
	for query, want := range map[string]string{
		"":                                       "worker-1 worker-2 worker-3",
		"labelSelector=name%3Dworker-2":          "worker-2",
		"fieldSelector=status.state%3DPending":   "worker-1",
		"fieldSelector=status.state!%3DPending":  "worker-2 worker-3",
		"fieldSelector=metadata.name%3Dworker-3": "worker-3",
	} {
		parsed, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(parsed); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	first := list(url.Values{"limit": {"2"}})
	second := list(url.Values{"limit": {"2"}, "continue": {first.Continue}})
	if len(first.Items) != 2 || *first.RemainingItemCount != 1 || len(second.Items) != 1 || second.Items[0].Name != "worker-3" || second.Continue != "" ||
		first.ResourceVersion == "" || second.ResourceVersion != first.ResourceVersion {
		t.Errorf("got pages %+v and %+v", first.ListMeta, second.ListMeta)
	}
	table := decode[metav1.Table](t, s.do("alice", http.MethodGet, nodes+"/worker-1", asTable, "").want(t, http.StatusOK))
	var headings []string
	for _, column := range table.ColumnDefinitions {
		headings = append(headings, column.Name)
	}
	if got := strings.Join(headings, " "); got != "Node State Progress Holds Requestors Since" {
		t.Errorf("got columns %s", got)
	}
	if cells := table.Rows[0].Cells; cells[1] != "Pending" || cells[2] != "0%" || cells[4] != "alice,bob" {
		t.Errorf("got cells %v", cells)
	}
	for _, method := range []string{http.MethodDelete, http.MethodPut, http.MethodPatch} {
		s.do("alice", method, nodes+"/worker-1", asMergePatch, `{}`).want(t, http.StatusMethodNotAllowed)
	}
	s.do("alice", http.MethodDelete, nodes, asJSON, "").want(t, http.StatusMethodNotAllowed)
}

// Whoever watches over nodemaintenances sees those that are written through a node as well.
func TestAdmissionThroughANode(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, ofWorker1, asJSON, `{"spec":{"reason":"refused"}}`).want(t, http.StatusForbidden).wantText(t, "by policy")
	s.admission.seen()
	s.do("alice", http.MethodPost, ofWorker1, asJSON, `{}`).want(t, http.StatusCreated)
	want := []string{
		"M CREATE nodes/maintenance worker-1", "M CREATE nodemaintenances " + alicesHold,
		"V CREATE nodes/maintenance worker-1", "V CREATE nodemaintenances " + alicesHold,
	}
	if got := s.admission.seen(); !slices.Equal(got, want) {
		t.Errorf("a create passed %q, want %q", got, want)
	}
	s.do("alice", http.MethodDelete, ofWorker1, asJSON, "").want(t, http.StatusOK)
	want = []string{
		"M DELETE nodes/maintenance worker-1", "V DELETE nodes/maintenance worker-1",
		"M DELETE nodemaintenances " + alicesHold, "V DELETE nodemaintenances " + alicesHold,
	}
	if got := s.admission.seen(); !slices.Equal(got, want) {
		t.Errorf("a delete passed %q, want %q", got, want)
	}
}

// Of a collection nothing is deleted unless everything may be.
func TestDeleteCollectionIsAllOrNothing(t *testing.T) {
	s := startServer(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create("alice", name, "worker-1")
	}
	s.admission.setRefused("c")
	s.do("alice", http.MethodDelete, collection, asJSON, "").want(t, http.StatusForbidden)
	for _, hold := range s.list(nil).Items {
		if hold.DeletionTimestamp != nil {
			t.Errorf("%s is being deleted", hold.Name)
		}
	}
	s.admission.setRefused("")
	deleted := decode[v1beta1.NodeMaintenanceList](t, s.do("alice", http.MethodDelete, collection, asJSON, "").want(t, http.StatusOK))
	if len(deleted.Items) != 3 {
		t.Errorf("got %d deleted holds, want 3", len(deleted.Items))
	}
}

func TestPlanOfANode(t *testing.T) {
	s := startServer(t)
	plan := decode[v1beta1.DrainPlan](t, s.do("alice", http.MethodGet,
		nodes+"/worker-1/drainplan?podSelector=app%3Dweb&gracePeriodSeconds=5&unmanagedPods=Block&timeout=10s", asJSON, "").want(t, http.StatusOK))
	if plan.Name != "worker-1" || plan.Spec.PodSelector.MatchLabels["app"] != "web" || *plan.Spec.GracePeriodSeconds != 5 ||
		plan.Spec.UnmanagedPods != v1beta1.PolicyBlock || plan.Spec.EmptyDirPods != v1beta1.PolicyEvict {
		t.Errorf("got the plan of %+v", plan.Spec)
	}
}

// The drain of a hold is planned as the hold says it, rules and all, by whoever may see the hold.
func TestPlanOfAHold(t *testing.T) {
	s := startServer(t)
	s.rights.take("mallory get nodes/maintenance")
	created := s.do("alice", http.MethodPost, collection, asJSON, `{"metadata":{"name":"a"},"spec":{"nodeName":"worker-1","stage":"Cordon",
		"drain":{"emptyDirPods":"Block","rules":[{"podAnnotations":{"keep":""},"action":"Skip"}]}}}`)
	hold := decode[v1beta1.NodeMaintenance](t, created.want(t, http.StatusCreated))
	planOf := func(user, query string) answer {
		return s.do(user, http.MethodGet, nodes+"/worker-1/drainplan?"+query, asJSON, "")
	}
	plan := decode[v1beta1.DrainPlan](t, planOf("bob", "hold=a").want(t, http.StatusOK))
	if diff := cmp.Diff(hold.Spec.Drain, plan.Spec); diff != "" {
		t.Errorf("the planned drain differs from the hold's (-want +got):\n%s", diff)
	}
	planOf("mallory", "").want(t, http.StatusOK)
	planOf("mallory", "hold=a").want(t, http.StatusForbidden).wantText(t, `User "mallory" cannot get resource "nodes/maintenance"`)
	planOf("mallory", "hold=missing").want(t, http.StatusForbidden)
	planOf("bob", "hold=missing").want(t, http.StatusNotFound).wantText(t, `nodemaintenances.maintenance.medik8s.io "missing" not found`)
	s.create("alice", "elsewhere", "worker-2")
	planOf("bob", "hold=elsewhere").want(t, http.StatusNotFound).wantText(t, `"elsewhere" not found`)
	planOf("bob", "hold=a&podSelector=app%3Dweb&unmanagedPods=Block").want(t, http.StatusUnprocessableEntity).
		wantText(t, "podSelector: Forbidden: cannot be combined with hold").wantText(t, "unmanagedPods: Forbidden")
	s.do("alice", http.MethodDelete, collection+"/a", asJSON, "").want(t, http.StatusOK)
	planOf("bob", "hold=a").want(t, http.StatusUnprocessableEntity).wantText(t, "is being deleted, so it drains nothing")
}
