// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func (s *testServer) list(query url.Values) v1beta1.NodeMaintenanceList {
	s.t.Helper()
	return decode[v1beta1.NodeMaintenanceList](s.t,
		s.do("alice", http.MethodGet, collection+"?"+query.Encode(), asJSON, "").want(s.t, http.StatusOK))
}

func names(list v1beta1.NodeMaintenanceList) []string {
	var names []string
	for _, nm := range list.Items {
		names = append(names, nm.Name)
	}
	return names
}

func TestFieldSelectors(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.create("bob", "b", "worker-1")
	running := s.create("bob", "c", "worker-2")
	running.Status.Phase = v1beta1.PhaseRunning
	s.put(server, collection+"/c/status", running).want(t, http.StatusOK)

	tests := map[string]struct {
		selector string
		want     []string
	}{
		"node":                {"spec.nodeName=worker-1", []string{"a", "b"}},
		"not the node":        {"spec.nodeName!=worker-1", []string{"c"}},
		"requestor":           {"spec.requestor=bob", []string{"b", "c"}},
		"node and requestor":  {"spec.nodeName=worker-1,spec.requestor=bob", []string{"b"}},
		"phase":               {"status.phase=Running", []string{"c"}},
		"phase from creation": {"status.phase=Pending", []string{"a", "b"}},
		"name":                {"metadata.name=b", []string{"b"}},
		"a node without any":  {"spec.nodeName=worker-9", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, names(s.list(url.Values{"fieldSelector": {test.selector}}))); diff != "" {
				t.Errorf("names differ (-want +got):\n%s", diff)
			}
		})
	}
	s.do("alice", http.MethodGet, collection+"?fieldSelector=spec.reason%3Dx", asJSON, "").
		want(t, http.StatusBadRequest).wantText(t, "use metadata.name, spec.nodeName, spec.requestor or status.phase")
}

func TestPagination(t *testing.T) {
	s := startServer(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create("alice", name, "worker-1")
	}
	first := s.list(url.Values{"limit": {"2"}})
	if diff := cmp.Diff([]string{"a", "b"}, names(first)); diff != "" || first.Continue == "" {
		t.Fatalf("first page differs, continue %q (-want +got):\n%s", first.Continue, diff)
	}
	second := s.list(url.Values{"limit": {"2"}, "continue": {first.Continue}})
	if diff := cmp.Diff([]string{"c"}, names(second)); diff != "" || second.Continue != "" {
		t.Errorf("second page differs, continue %q (-want +got):\n%s", second.Continue, diff)
	}
}

func TestTable(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	table := decode[metav1.Table](t, s.do("alice", http.MethodGet, collection, asTable, "").want(t, http.StatusOK))
	if len(table.Rows) != 1 || len(table.Rows[0].Cells) != len(table.ColumnDefinitions) {
		t.Fatalf("got %d columns and the rows %v", len(table.ColumnDefinitions), table.Rows)
	}
	if diff := cmp.Diff([]any{"a", "worker-1", "Pending"}, table.Rows[0].Cells[:3]); diff != "" {
		t.Errorf("cells differ (-want +got):\n%s", diff)
	}
}

// A watch by node tells of the holds on that node alone.
func TestMediaTypes(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	tests := map[string]struct {
		accept   string
		wantCode int
		wantType string
	}{
		"protobuf or JSON": {"application/vnd.kubernetes.protobuf,application/json", http.StatusOK, "application/json"},
		"YAML":             {"application/yaml", http.StatusOK, "application/yaml"},
		"anything":         {"*/*", http.StatusOK, "application/json"},
		// The refusal itself is a Status, which has the encoding.
		"protobuf alone": {"application/vnd.kubernetes.protobuf", http.StatusNotAcceptable, "application/vnd.kubernetes.protobuf"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			response := s.send("alice", http.MethodGet, collection, test.accept, "")
			defer func() { _ = response.Body.Close() }()
			if got := response.Header.Get("Content-Type"); response.StatusCode != test.wantCode || got != test.wantType {
				t.Errorf("got %d as %s, want %d as %s", response.StatusCode, got, test.wantCode, test.wantType)
			}
		})
	}
}

func TestWatchByField(t *testing.T) {
	s := startServer(t)
	start := s.list(nil).ResourceVersion
	query := url.Values{"watch": {"true"}, "resourceVersion": {start}, "fieldSelector": {"spec.nodeName=worker-1"}}
	response := s.send("alice", http.MethodGet, collection+"?"+query.Encode(), asJSON, "")
	defer func() { _ = response.Body.Close() }()

	s.create("alice", "elsewhere", "worker-2")
	s.create("alice", "a", "worker-1")
	s.do("alice", http.MethodDelete, collection+"/a", asJSON, "").want(t, http.StatusOK)
	s.do(server, http.MethodPatch, collection+"/a", asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK)

	events := json.NewDecoder(response.Body)
	for _, want := range []string{"ADDED", "MODIFIED", "DELETED"} {
		var event struct {
			Type   string
			Object v1beta1.NodeMaintenance
		}
		if err := events.Decode(&event); err != nil {
			t.Fatalf("could not read the event %s: %v", want, err)
		}
		if event.Type != want || event.Object.Name != "a" {
			t.Errorf("got %s %s, want %s a", event.Type, event.Object.Name, want)
		}
	}
}
