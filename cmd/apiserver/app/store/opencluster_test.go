// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
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
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := Open(t.Context(), Config{Type: Cluster, Cluster: &rest.Config{Transport: silentAt(path)}})
				if err == nil || !strings.Contains(err.Error(), "could not store in the cluster: ") {
					t.Errorf("Open = %v, want an error that names the cluster", err)
				}
				if took := time.Since(began); took != settleTimeout {
					t.Errorf("it took %s, want %s", took, settleTimeout)
				}
			})
		})
	}
}

// silentAt is a cluster that can be the store, but does not answer below a path.
type silentAt string

// RoundTrip implements http.RoundTripper.
func (path silentAt) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, answers := map[string]any{
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
	}[r.URL.Path]
	if !answers || strings.HasPrefix(r.URL.Path, string(path)) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(recorder).Encode(answer); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}
