// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

// A cluster that does not answer is told at the start, not waited for.
func TestSilentCluster(t *testing.T) {
	for name, path := range map[string]string{
		"nothing":         "/",
		"the kinds":       "/apis/store.maintenance.medik8s.io/v1",
		"what is allowed": "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		"the ID":          "/apis/store.maintenance.medik8s.io/v1/stores/store",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, err := Open(t.Context(), Config{Type: Cluster, Cluster: &rest.Config{Host: startSilentAt(t, path)}})
			if err == nil || !strings.Contains(err.Error(), "could not store in the cluster: ") {
				t.Errorf("Open = %v, want an error that names the cluster", err)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %s, want 10 s at most", took)
			}
		})
	}
}

// startSilentAt starts a cluster that can be the store, but does not answer below a path, and returns its URL.
func startSilentAt(t *testing.T, path string) string {
	t.Helper()
	answers := map[string]any{
		"/version": version.Info{GitVersion: "v1.36.1"},
		"/apis/store.maintenance.medik8s.io/v1": metav1.APIResourceList{
			APIResources: []metav1.APIResource{
				{Name: "stores"},
				{Name: "storednodemaintenances"},
				{Name: "storedmaintenancepolicies"},
				{Name: "storedmaintenanceledgers"},
				{Name: "storedmaintenanceprofiles"},
				{Name: "storedmaintenanceendpoints"},
				{Name: "storednodeprofiles"},
				{Name: "storedscheduledevents"},
			},
		},
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
			Status:   authorizationv1.SubjectAccessReviewStatus{Allowed: true},
		},
	}
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, answers := answers[r.URL.Path]
		if !answers || strings.HasPrefix(r.URL.Path, path) {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the context end with the connection
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(cluster.Close)
	return cluster.URL
}
