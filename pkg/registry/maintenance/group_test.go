// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
)

func TestDependenciesAreRequired(t *testing.T) {
	authorizing := authorization.New(&testRights{}, "")
	tests := map[string]func(*Dependencies){
		"no waker":                   func(d *Dependencies) { d.Waker = nil },
		"no nodes":                   func(d *Dependencies) { d.Nodes = nil },
		"no planner":                 func(d *Dependencies) { d.Planner = nil },
		"no space":                   func(d *Dependencies) { d.Space = nil },
		"no admission":               func(d *Dependencies) { d.Admission = nil },
		"no authorization of update": func(d *Dependencies) { d.AuthorizeUpdate = nil },
		"no authorization of read":   func(d *Dependencies) { d.AuthorizeRead = nil },
		"none of approval":           func(d *Dependencies) { d.AuthorizeApproval = nil },
		"none of decisions":          func(d *Dependencies) { d.AuthorizeDecision = nil },
		"nobody who shares":          func(d *Dependencies) { d.SharesRoom = nil },
	}
	for name, drop := range tests {
		t.Run(name, func(t *testing.T) {
			deps := Dependencies{
				Waker: noWaker{}, Nodes: &changingNodes{}, Planner: noPlanner{}, Space: &testSpace{}, Admission: &recordingAdmission{},
				AuthorizeUpdate: authorizing.AuthorizeUpdate, AuthorizeRead: authorizing.AuthorizeRead, AuthorizeApproval: authorizing.AuthorizeApproval,
				AuthorizeDecision: authorizing.AuthorizeDecision, SharesRoom: authorizing.SharesRoom,
			}
			drop(&deps)
			_, err := NewAPIGroupInfo(scheme.Scheme, scheme.Codecs, scheme.ParameterCodec, generic.RESTOptions{}, deps)
			if err == nil || !strings.Contains(err.Error(), "the registry needs") {
				t.Errorf("the group was made without: error %v", err)
			}
		})
	}
}

// While the group of the medik8s operator has the short name nm, ours has none: kubectl would warn of two.
func TestShortNames(t *testing.T) {
	for name, tc := range map[string]struct {
		taken bool
		want  []string
	}{
		"free":  {want: []string{"nm"}},
		"taken": {taken: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := definitions(scheme.Scheme, Dependencies{ShortNameTaken: tc.taken}, nil)[0].ShortNames
			if !slices.Equal(got, tc.want) {
				t.Errorf("got short names %q, want %q", got, tc.want)
			}
		})
	}
}

func TestDiscovery(t *testing.T) {
	s := startServer(t)
	list := decode[metav1.APIResourceList](t,
		s.do("alice", http.MethodGet, "/apis/maintenance.medik8s.io/v1beta1", asJSON, "").want(t, http.StatusOK))
	for i := range list.APIResources {
		list.APIResources[i].StorageVersionHash = ""
	}
	want := []metav1.APIResource{
		{
			Name: "maintenanceendpoints", SingularName: "maintenanceendpoint", Kind: "MaintenanceEndpoint",
			ShortNames: []string{"mep"}, Categories: []string{"maintenance"},
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: "maintenanceendpoints/status", Kind: "MaintenanceEndpoint", Verbs: metav1.Verbs{"get", "patch", "update"}},
		{
			Name: "maintenanceledgers", SingularName: "maintenanceledger", Kind: "MaintenanceLedger",
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{
			Name: "maintenancepolicies", SingularName: "maintenancepolicy", Kind: "MaintenancePolicy",
			ShortNames: []string{"mpol"}, Categories: []string{"maintenance"},
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: "maintenancepolicies/queue", Kind: "MaintenancePolicyQueue", Verbs: metav1.Verbs{"get"}},
		{Name: "maintenancepolicies/status", Kind: "MaintenancePolicy", Verbs: metav1.Verbs{"get", "patch", "update"}},
		{
			Name: "maintenanceprofiles", SingularName: "maintenanceprofile", Kind: "MaintenanceProfile",
			ShortNames: []string{"mprof"}, Categories: []string{"maintenance"},
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: "maintenanceprofiles/status", Kind: "MaintenanceProfile", Verbs: metav1.Verbs{"get", "patch", "update"}},
		{
			Name: "nodemaintenances", SingularName: "nodemaintenance", Kind: "NodeMaintenance",
			ShortNames: []string{"nm"}, Categories: []string{"maintenance"},
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: "nodemaintenances/approval", Kind: "MaintenanceApproval", Verbs: metav1.Verbs{"create", "delete"}},
		{Name: "nodemaintenances/status", Kind: "NodeMaintenance", Verbs: metav1.Verbs{"get", "patch", "update"}},
		{
			Name: "nodeprofiles", SingularName: "nodeprofile", Kind: "NodeProfile", ShortNames: []string{"nprof"},
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: "nodeprofiles/decision", Kind: "NodeProfileDecision", Verbs: metav1.Verbs{"create", "delete"}},
		{Name: "nodeprofiles/evaluation", Kind: "NodeProfileEvaluation", Verbs: metav1.Verbs{"get"}},
		{Name: "nodeprofiles/status", Kind: "NodeProfile", Verbs: metav1.Verbs{"get", "patch", "update"}},
		{Name: "nodes", SingularName: "nodestate", Kind: "NodeState", Verbs: metav1.Verbs{"get", "list", "watch"}},
		{Name: "nodes/drainplan", Kind: "DrainPlan", Verbs: metav1.Verbs{"get"}},
		{Name: "nodes/maintenance", Kind: "NodeMaintenance", Verbs: metav1.Verbs{"create", "delete", "get"}},
		{
			Name: "scheduledevents", SingularName: "scheduledevent", Kind: "ScheduledEvent",
			ShortNames: []string{"sev"}, Categories: []string{"maintenance"},
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: "scheduledevents/status", Kind: "ScheduledEvent", Verbs: metav1.Verbs{"get", "patch", "update"}},
	}
	if diff := cmp.Diff(want, list.APIResources); diff != "" {
		t.Errorf("resources differ (-want +got):\n%s", diff)
	}
}

func TestCreate(t *testing.T) {
	s := startServer(t)
	body := `{"metadata":{"name":"a","finalizers":["example.com/own"]},
		"spec":{"nodeName":"worker-1"},"status":{"phase":"Succeeded","drainProgress":100}}`

	s.do("alice", http.MethodPost, collection+"?dryRun=All", asJSON, body).want(t, http.StatusCreated)
	s.do("alice", http.MethodGet, collection+"/a", asJSON, "").want(t, http.StatusNotFound)

	s.do("alice", http.MethodPost, collection, asJSON, body).want(t, http.StatusCreated)
	got := s.get("a")
	want := v1beta1.NodeMaintenanceSpec{
		NodeName: "worker-1", Requestor: "alice", Stage: v1beta1.StageDrain,
		Drain: v1beta1.DrainSpec{OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict},
	}
	if diff := cmp.Diff(want, got.Spec); diff != "" {
		t.Errorf("spec differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, DrainProgress: ptr.To[int32](0)}, got.Status); diff != "" {
		t.Errorf("status differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"example.com/own", v1beta1.UncordonFinalizer}, got.Finalizers); diff != "" {
		t.Errorf("finalizers differ (-want +got):\n%s", diff)
	}
	if got.Generation != 1 || len(got.OwnerReferences) > 0 {
		t.Errorf("got generation %d and owners %v, want 1 and none", got.Generation, got.OwnerReferences)
	}
	s.do("alice", http.MethodPost, collection, asJSON, body).want(t, http.StatusConflict)
}

func TestRefusedCreates(t *testing.T) {
	s := startServer(t)
	tests := map[string]struct{ spec, wantField, wantText string }{
		"forged requestor": {
			spec:      `{"nodeName":"worker-1","requestor":"bob"}`,
			wantField: "spec.requestor", wantText: `must be "alice", the user who makes the request`,
		},
		"no node":           {spec: `{}`, wantField: "spec.nodeName", wantText: "must name the node"},
		"unknown stage":     {spec: `{"nodeName":"n","stage":"Reboot"}`, wantField: "spec.stage", wantText: "Unsupported value"},
		"negative duration": {spec: `{"nodeName":"n","drain":{"timeoutSeconds":-1}}`, wantField: "spec.drain.timeoutSeconds", wantText: "must be between 1 and 2592000"},
		"bad selector": {
			spec:      `{"nodeName":"n","drain":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Is"}]}}}`,
			wantField: "spec.drain.podSelector.matchExpressions[0].operator", wantText: "not a valid selector operator",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			body := `{"metadata":{"name":"refused"},"spec":` + test.spec + `}`
			got := s.do("alice", http.MethodPost, collection, asJSON, body).want(t, http.StatusUnprocessableEntity)
			got.wantText(t, test.wantText)
			status := decode[metav1.Status](t, got)
			if len(status.Details.Causes) != 1 || status.Details.Causes[0].Field != test.wantField {
				t.Errorf("got causes %v, want one for %s", status.Details.Causes, test.wantField)
			}
			s.do("alice", http.MethodGet, collection+"/refused", asJSON, "").want(t, http.StatusNotFound)
		})
	}
}

func TestUnknownFieldIsRefused(t *testing.T) {
	s := startServer(t)
	body := `{"metadata":{"name":"a"},"spec":{"nodeName":"worker-1","nodename":"worker-2"}}`
	s.do("alice", http.MethodPost, collection+"?fieldValidation=Strict", asJSON, body).
		want(t, http.StatusBadRequest).wantText(t, `unknown field "spec.nodename"`)
}

// Server-side apply creates, though a PUT does not; and it keeps what the server set.
func TestApply(t *testing.T) {
	s := startServer(t)
	path := collection + "/a?fieldManager=test&force=true"
	apply := func(requester, spec string) answer {
		return s.do(requester, http.MethodPatch, path, asApply,
			`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"a"},"spec":`+spec+`}`)
	}
	apply("alice", `{"nodeName":"worker-1","requestor":"bob"}`).want(t, http.StatusUnprocessableEntity)
	apply("alice", `{"nodeName":"worker-1","requestor":"alice"}`).want(t, http.StatusCreated)
	if owner := ownerOfRequestor(t, s.get("a")); owner != "" {
		t.Errorf("%s owns spec.requestor, which only the server sets", owner)
	}
	// Another user may apply the same manifest; the hold stays the first one's.
	apply("bob", `{"nodeName":"worker-1","stage":"Cordon"}`).want(t, http.StatusOK)
	apply("bob", `{"nodeName":"worker-1","requestor":"bob"}`).want(t, http.StatusUnprocessableEntity)

	got := s.get("a")
	if got.Spec.Requestor != "alice" || got.Spec.Stage != v1beta1.StageCordon || got.Generation != 2 {
		t.Errorf("got requestor %s, stage %s and generation %d, want alice, Cordon and 2",
			got.Spec.Requestor, got.Spec.Stage, got.Generation)
	}
	if diff := cmp.Diff([]string{v1beta1.UncordonFinalizer}, got.Finalizers); diff != "" {
		t.Errorf("finalizers differ (-want +got):\n%s", diff)
	}
	got.Name, got.UID, got.ResourceVersion = "b", "", ""
	s.put("alice", collection+"/b", got).want(t, http.StatusNotFound)
}

// ownerOfRequestor returns the field manager that owns spec.requestor, if any.
func ownerOfRequestor(t *testing.T, nm v1beta1.NodeMaintenance) string {
	t.Helper()
	for _, entry := range nm.ManagedFields {
		var owned struct {
			Spec map[string]any `json:"f:spec"`
		}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned); err != nil {
			t.Fatal(err)
		}
		if _, ok := owned.Spec["f:requestor"]; ok {
			return entry.Manager
		}
	}
	return ""
}
