// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// A store without space for more refuses new holds, whichever way they are created, and goes on with
// those that it has.
func TestStoreWithoutSpace(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.create("alice", "b", "worker-1")
	s.space.refusal.Store(ptr.To("the store is nearly full: delete something"))

	hold := func(name string) string { return `{"metadata":{"name":"` + name + `"},"spec":{"nodeName":"worker-1"}}` }
	applied := func(name, labels string) string {
		return `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance",
			"metadata":{"name":"` + name + `","labels":` + labels + `},"spec":{"nodeName":"worker-1"}}`
	}
	tests := map[string]struct {
		method, path, contentType, body string
		want                            int
	}{
		"create":                {http.MethodPost, collection, asJSON, hold("c"), http.StatusInsufficientStorage},
		"dry-run create":        {http.MethodPost, collection + "?dryRun=All", asJSON, hold("c"), http.StatusInsufficientStorage},
		"create through a node": {http.MethodPost, ofWorker1, asJSON, `{}`, http.StatusInsufficientStorage},
		"apply that creates":    {http.MethodPatch, collection + "/c?fieldManager=test", asApply, applied("c", "{}"), http.StatusInsufficientStorage},
		"create of a policy":    {http.MethodPost, policies, asJSON, policyBody("p", `{"nodeSelector":{}}`), http.StatusInsufficientStorage},
		"create of a profile":   {http.MethodPost, profilesPath, asJSON, profile("p", approved), http.StatusInsufficientStorage},
		"create of an endpoint": {
			http.MethodPost, endpointsPath, asJSON, endpoint("e", `{"prometheus":{"url":"https://prometheus.example.com"}}`), http.StatusInsufficientStorage,
		},
		"create that is wrong": {http.MethodPost, collection, asJSON, `{"metadata":{"name":"c"},"spec":{}}`, http.StatusUnprocessableEntity},
		"apply that changes":   {http.MethodPatch, collection + "/a?fieldManager=test&force=true", asApply, applied("a", `{"a":"b"}`), http.StatusOK},
		"patch":                {http.MethodPatch, collection + "/a", asMergePatch, `{"spec":{"reason":"disk"}}`, http.StatusOK},
		"write of the status":  {http.MethodPatch, collection + "/a/status", asMergePatch, `{"status":{"drainProgress":50}}`, http.StatusOK},
		"delete":               {http.MethodDelete, collection + "/b", asJSON, "", http.StatusOK},
		"read":                 {http.MethodGet, collection + "/a", asJSON, "", http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s.do(server, test.method, test.path, test.contentType, test.body).want(t, test.want)
		})
	}
	got := decode[metav1.Status](t, s.do("alice", http.MethodPost, collection, asJSON, hold("c")))
	want := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: http.StatusInsufficientStorage, Reason: "InsufficientStorage",
		Details: &metav1.StatusDetails{Group: "maintenance.medik8s.io", Kind: "nodemaintenances", Name: "c"},
		Message: `nodemaintenances.maintenance.medik8s.io "c" was not created: the store is nearly full: delete something`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the refusal differs (-want +got):\n%s", diff)
	}

	s.space.refusal.Store(nil)
	s.create("alice", "c", "worker-1")
}
