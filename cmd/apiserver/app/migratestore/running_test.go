// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A lease that somebody holds is one of a server that runs, until it runs out.
func TestCheckLease(t *testing.T) {
	name := types.NamespacedName{Namespace: "maintenance-system", Name: "maintenance-apiserver"}
	for what, tc := range map[string]struct {
		holder  string
		renewed time.Duration // before now
		want    string
	}{
		"held":     {holder: "pod-1", renewed: 14 * time.Second, want: "pod-1 holds the lease maintenance-system/maintenance-apiserver"},
		"run out":  {holder: "pod-1", renewed: 15 * time.Second},
		"released": {renewed: time.Second},
	} {
		t.Run(what, func(t *testing.T) {
			lease := &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name},
				Spec: coordinationv1.LeaseSpec{
					HolderIdentity: ptr.To(tc.holder), LeaseDurationSeconds: ptr.To[int32](15),
					RenewTime: ptr.To(metav1.NewMicroTime(now.Add(-tc.renewed))),
				},
			}
			err := (&running{client: fake.NewClientset(lease), lease: name}).checkLease(t.Context(), now)
			wantRefused(t, err, tc.want)
		})
	}
	t.Run("no lease", func(t *testing.T) {
		wantRefused(t, (&running{client: fake.NewClientset(), lease: name}).checkLease(t.Context(), now), "")
	})
}

// What the cluster's API says of our group, while a server runs and while none does.
func TestCheckAPI(t *testing.T) {
	for what, tc := range map[string]struct {
		status int
		want   string
	}{
		"served":         {status: http.StatusOK, want: "a server answers for maintenance.medik8s.io/v1beta1"},
		"no endpoints":   {status: http.StatusServiceUnavailable},
		"not registered": {status: http.StatusNotFound},
		"forbidden":      {status: http.StatusForbidden, want: "could not find out whether a server answers"},
		"failing":        {status: http.StatusGatewayTimeout, want: "could not find out whether a server answers"},
	} {
		t.Run(what, func(t *testing.T) {
			cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tc.status) }))
			defer cluster.Close()
			r, err := newRunning(&rest.Config{Host: cluster.URL}, types.NamespacedName{})
			if err != nil {
				t.Fatal(err)
			}
			wantRefused(t, r.checkAPI(t.Context()), tc.want)
		})
	}
}

// wantRefused wants an error of one line that begins with want; none if that is empty.
func wantRefused(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
		return
	}
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line that begins with %q", err, want)
	}
}
