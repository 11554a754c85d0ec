// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
)

const (
	medik8s       = "nodemaintenance.medik8s.io/v1beta1"
	kubeVirtBeta  = "nodemaintenance.kubevirt.io/v1beta1"
	kubeVirtAlpha = "kubevirt.io/v1alpha1"
)

// everyOld runs a test with a server of its own for each old group.
func everyOld(t *testing.T, test func(t *testing.T, s *testServer, version string)) {
	t.Helper()
	for _, version := range legacyinstall.GroupVersions() {
		t.Run(version.Group, func(t *testing.T) { test(t, startServer(t), version.String()) })
	}
}

// in is the path of an old group's objects.
func in(version string) string { return "/apis/" + version + "/nodemaintenances" }

// sample is an object as the operators' documentation has it.
func sample(version, name, node string) string {
	return `{"apiVersion":"` + version + `","kind":"NodeMaintenance","metadata":{"name":"` + name + `"},` +
		`"spec":{"nodeName":"` + node + `","reason":"Test node maintenance"}}`
}

func TestOldDiscovery(t *testing.T) {
	s := startServer(t)
	for version, shortNames := range map[string][]string{medik8s: {"nm"}, kubeVirtBeta: nil, kubeVirtAlpha: nil} {
		list := decode[metav1.APIResourceList](t, s.do("alice", http.MethodGet, "/apis/"+version, asJSON, "").want(t, http.StatusOK))
		for i := range list.APIResources {
			list.APIResources[i].StorageVersionHash = ""
		}
		want := []metav1.APIResource{
			{
				Name: "nodemaintenances", SingularName: "nodemaintenance", Kind: "NodeMaintenance", ShortNames: shortNames,
				Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
			},
			{Name: "nodemaintenances/status", Kind: "NodeMaintenance", Verbs: metav1.Verbs{"get", "patch", "update"}},
		}
		if diff := cmp.Diff(want, list.APIResources); diff != "" {
			t.Errorf("%s: resources differ (-want +got):\n%s", version, diff)
		}
	}
}

// One object has the same identity and version under all names, and old clients find the fields that they know.
func TestSeenUnderAllNames(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "a", "worker-1")).want(t, http.StatusCreated)
		s.do(server, http.MethodPatch, collection+"/a/status", asMergePatch, `{"status":{"phase":"Running","drainProgress":40,"evictionPods":5,
			"totalPods":9,"pendingPods":["a/web","b/db","b/web"],"pendingPodCount":3,"leaseErrorCount":2}}`).want(t, http.StatusOK)
		own := s.get("a")
		if own.Spec.Requestor != "alice" || own.Spec.Stage != "Drain" {
			t.Errorf("got requestor %q and stage %q, want alice and Drain", own.Spec.Requestor, own.Spec.Stage)
		}
		wantStatus := map[string]string{
			medik8s: `{"drainProgress":40,"errorOnLeaseCount":2,"evictionPods":5,"pendingPods":["web","db","web"],"pendingPodsRefs":` +
				`[{"name":"web","namespace":"a"},{"name":"db","namespace":"b"},{"name":"web","namespace":"b"}],"phase":"Running","totalpods":9}`,
			kubeVirtBeta:  `{"errorOnLeaseCount":2,"evictionPods":5,"pendingPods":["web","db","web"],"phase":"Running","totalpods":9}`,
			kubeVirtAlpha: `{"evictionPods":5,"pendingPods":["web","db","web"],"phase":"Running","totalpods":9}`,
		}
		for _, seenIn := range legacyinstall.GroupVersions() {
			path := in(seenIn.String())
			got := decode[map[string]any](t, s.do("bob", http.MethodGet, path+"/a", asJSON, "").want(t, http.StatusOK))
			metadata := got["metadata"].(map[string]any)
			if metadata["uid"] != string(own.UID) || metadata["resourceVersion"] != own.ResourceVersion || got["apiVersion"] != seenIn.String() {
				t.Errorf("%s: got %v, want UID %s and version %s", seenIn, got, own.UID, own.ResourceVersion)
			}
			status, err := json.Marshal(got["status"])
			if err != nil || string(status) != wantStatus[seenIn.String()] {
				t.Errorf("%s: got status %s, want %s (error %v)", seenIn, status, wantStatus[seenIn.String()], err)
			}
			if diff := cmp.Diff(map[string]any{"nodeName": "worker-1", "reason": "Test node maintenance"}, got["spec"]); diff != "" {
				t.Errorf("%s: spec differs (-want +got):\n%s", seenIn, diff)
			}
			list := decode[metav1.List](t, s.do("bob", http.MethodGet, path, asJSON, "").want(t, http.StatusOK))
			if len(list.Items) != 1 || list.Kind != "NodeMaintenanceList" || list.APIVersion != seenIn.String() {
				t.Errorf("%s: got list %+v, want one object", seenIn, list)
			}
		}
	})
}

func TestOldColumns(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.create("alice", "a", "worker-1")
		table := decode[metav1.Table](t, s.do("alice", http.MethodGet, in(version), asTable, "").want(t, http.StatusOK))
		var got []string
		for _, column := range table.ColumnDefinitions {
			got = append(got, column.Name)
		}
		if diff := cmp.Diff([]string{"Name", "Age"}, got); diff != "" || len(table.Rows) != 1 {
			t.Errorf("got %d rows, want 1; columns differ (-want +got):\n%s", len(table.Rows), diff)
		}
	})
}

// Old clients see the finalizer that they know, wherever they look, and cannot take it off.
func TestOldFinalizer(t *testing.T) {
	const old, own = `"finalizers":["foregroundDeleteNodeMaintenance"]`, `"finalizers":["maintenance.medik8s.io/uncordon"]`
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		path := in(version) + "/a"
		s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "a", "worker-1")).want(t, http.StatusCreated).wantText(t, old)
		s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK).wantText(t, old)
		s.do("alice", http.MethodGet, in(version), asJSON, "").want(t, http.StatusOK).wantText(t, old)
		s.watchTexts(in(version)+"?watch=true&resourceVersion=0", asJSON).want(old)
		for _, metadataOnly := range []string{
			"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v1;g=meta.k8s.io",
		} {
			s.do("alice", http.MethodGet, path, metadataOnly, "").want(t, http.StatusOK).wantText(t, old)
			s.do("alice", http.MethodGet, path+"/status", metadataOnly, "").want(t, http.StatusOK).wantText(t, old)
			lists := strings.Replace(metadataOnly, "PartialObjectMetadata", "PartialObjectMetadataList", 1)
			s.do("alice", http.MethodGet, in(version), lists, "").want(t, http.StatusOK).wantText(t, old)
			s.watchTexts(in(version)+"?watch=true&resourceVersion=0", metadataOnly).want(old)
		}
		watching := s.watchTexts(in(version)+"?watch=true", asTable)
		s.create("alice", "live", "worker-3")
		watching.want(old, old)
		s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK).wantText(t, old).
			wantText(t, "metadata.finalizers: foregroundDeleteNodeMaintenance is kept")
		s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":["a.b/c","foregroundDeleteNodeMaintenance"]}}`).want(t, http.StatusOK)
		s.do("alice", http.MethodPatch, path, asMergePatch, `{"metadata":{"finalizers":["foregroundDeleteNodeMaintenance"]}}`).want(t, http.StatusOK)
		s.do("alice", http.MethodPatch, path+"?fieldManager=x", asApply, `{"apiVersion":"`+version+`","kind":"NodeMaintenance",
			"metadata":{"name":"a","finalizers":["foregroundDeleteNodeMaintenance"]},"spec":{"nodeName":"worker-1"}}`).want(t, http.StatusOK).wantText(t, old)
		s.do("alice", http.MethodGet, collection+"/a", asJSON, "").want(t, http.StatusOK).wantText(t, own)
		s.do("alice", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK).wantText(t, old)
		s.do(server, http.MethodPatch, collection+"/a", asMergePatch, `{"metadata":{"finalizers":null}}`).want(t, http.StatusOK)
		s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusNotFound)
	})
}
