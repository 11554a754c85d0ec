// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The drainer writes holds only while this server leads.
func TestLoopbackClientIsFenced(t *testing.T) {
	kube := kubefake.NewSimpleClientset()
	elector, err := leadership.New(leadership.Config{
		Client: kube, Watcher: kube, Namespace: "a", Name: "b", Identity: "c", Clock: clock.RealClock{},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		elector     *leadership.Elector
		wantRefused bool
	}{
		"it does not lead":      {elector, true},
		"it leads all the time": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			own := httptest.NewServer(http.NotFoundHandler())
			defer own.Close()
			client, err := newLoopbackClient(&rest.Config{Host: own.URL}, tc.elector)
			if err != nil {
				t.Fatal(err)
			}
			hold := &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
			_, err = client.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(t.Context(), hold, metav1.UpdateOptions{})
			if refused := errors.Is(err, leadership.ErrNotLeading); refused != tc.wantRefused {
				t.Errorf("refused: %t, want %t; %v", refused, tc.wantRefused, err)
			}
		})
	}
}
