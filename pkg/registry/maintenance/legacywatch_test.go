// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watchRows reads the tables of a watch, each with one row, until it has seen so many.
func (s *testServer) watchRows(path string, count int) (rows func() []row) {
	s.t.Helper()
	response := s.send("alice", http.MethodGet, path, asTable, "")
	s.t.Cleanup(func() { _ = response.Body.Close() })
	return func() []row {
		events := json.NewDecoder(response.Body)
		var seen []row
		for range count {
			var event struct{ Object metav1.Table }
			if err := events.Decode(&event); err != nil {
				s.t.Fatalf("could not read an event of %s: %v", path, err)
			}
			var object struct{ APIVersion string }
			if err := json.Unmarshal(event.Object.Rows[0].Object.Raw, &object); err != nil {
				s.t.Fatal(err)
			}
			seen = append(seen, row{Cells: len(event.Object.Rows[0].Cells), Headings: len(event.Object.ColumnDefinitions), APIVersion: object.APIVersion})
		}
		return seen
	}
}

// row is what the row of a table shows. Only the first table of a watch has headings.
type row struct {
	Cells, Headings int
	APIVersion      string
}

// textWatch is a watch over HTTP, of which only texts count.
type textWatch struct {
	t       *testing.T
	decoder *json.Decoder
}

func (s *testServer) watchTexts(path, accept string) *textWatch {
	s.t.Helper()
	response := s.send("alice", http.MethodGet, path, accept, "")
	s.t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("the watch %s is answered with %s", path, response.Status)
	}
	return &textWatch{t: s.t, decoder: json.NewDecoder(response.Body)}
}

// want reads an event for each of the texts, which must be in it once.
func (w *textWatch) want(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		var event json.RawMessage
		if err := w.decoder.Decode(&event); err != nil {
			w.t.Fatalf("no event with %s: %v", text, err)
		}
		if strings.Count(string(event), text) != 1 {
			w.t.Errorf("the event does not show %s once: %s", text, event)
		}
	}
}

// Watches of one object under several names each get their own columns, and the object in their own version.
func TestTableWatchesOfSeveralGroups(t *testing.T) {
	s := startServer(t)
	own := decode[metav1.Table](t, s.do("alice", http.MethodGet, collection, asTable, "").want(t, http.StatusOK))
	paths := map[string]int{collection: len(own.ColumnDefinitions), in(medik8s): 2, in(kubeVirtBeta): 2, in(kubeVirtAlpha): 2}
	watches := map[string]func() []row{}
	for path := range paths {
		watches[path] = s.watchRows(path+"?watch=true&includeObject=Object", 2)
	}
	s.create("alice", "a", "worker-1")
	s.create("alice", "b", "worker-2")
	for path, columns := range paths {
		version := path[len("/apis/") : len(path)-len("/nodemaintenances")]
		want := []row{{Cells: columns, Headings: columns, APIVersion: version}, {Cells: columns, APIVersion: version}}
		if diff := cmp.Diff(want, watches[path]()); diff != "" {
			t.Errorf("%s: rows differ (-want +got):\n%s", path, diff)
		}
	}
}

func TestOldFieldSelectors(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.create("bob", "b", "worker-2")
	s.create("bob", "c", "worker-2")
	for selector, want := range map[string][]string{
		"metadata.name=a": {"a"}, "spec.nodeName=worker-2": {"b", "c"}, "spec.requestor=alice": {"a"}, "spec.nodeName=worker-1,spec.requestor=bob": nil,
		"status.phase=Running": nil, "metadata.namespace=x": nil,
	} {
		for _, version := range []string{medik8s, kubeVirtBeta, kubeVirtAlpha} {
			got := s.do("alice", http.MethodGet, in(version)+"?fieldSelector="+url.QueryEscape(selector), asJSON, "")
			if selector == "status.phase=Running" || selector == "metadata.namespace=x" {
				got.want(t, http.StatusBadRequest).wantText(t, "use metadata.name, spec.nodeName or spec.requestor")
				continue
			}
			var names []string
			for _, item := range decode[metav1.PartialObjectMetadataList](t, got.want(t, http.StatusOK)).Items {
				names = append(names, item.Name)
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("%s of %s: names differ (-want +got):\n%s", selector, version, diff)
			}
		}
	}
}
