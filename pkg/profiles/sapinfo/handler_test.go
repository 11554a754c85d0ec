// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

func at(hour int) *metav1.Time {
	return ptr.To(metav1.NewTime(time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)))
}

func handler(nodesErr error) *Handler {
	profile := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "disks"}}
	profile.Spec.Alias = "Disks"
	profile.Spec.Checks = []v1beta1.ProfileCheck{
		{Name: "due", NodeLabel: &v1beta1.KeyValueCheck{}}, {Name: "calm", Prometheus: &v1beta1.PrometheusCheck{}},
	}
	profile.Spec.States.MaintenanceRequired.Transitions = []v1beta1.ProfileTransition{
		{Name: "go", Check: "due && calm", Next: v1beta1.ProfileInMaintenance}, {Name: "back", Check: "!due", Next: v1beta1.ProfileOperational},
	}
	nodeProfile := &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: "b.disks"}, Spec: v1beta1.NodeProfileSpec{NodeName: "b", Profile: "disks"}}
	nodeProfile.Status = v1beta1.NodeProfileStatus{
		State: v1beta1.ProfileMaintenanceRequired, Since: at(11),
		Checks: []v1beta1.CheckStatus{
			{Name: "due", Result: v1beta1.CheckTrue, Info: map[string]string{"value": "true"}, Since: at(10)},
			{Name: "calm", Result: v1beta1.CheckError, Message: "no answer", Since: at(12)},
		},
		Transitions: []v1beta1.TransitionStatus{
			{Name: "go", Next: v1beta1.ProfileInMaintenance, Result: v1beta1.CheckError},
			{Name: "back", Next: v1beta1.ProfileOperational, Result: v1beta1.CheckFalse},
		},
	}
	return New(Config{
		Maintenance: maintenancefake.NewSimpleClientset(profile, nodeProfile), Labels: []string{"zone"},
		Nodes: func() ([]*corev1.Node, error) {
			return []*corev1.Node{
				{ObjectMeta: metav1.ObjectMeta{Name: "b", CreationTimestamp: *at(9), Labels: map[string]string{"zone": "z", "other": "o"}}},
				{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: *at(9)}},
			}, nodesErr
		},
	})
}

const want = `[{"node":"a","profiles":[{"applied":{"next":"operational","transitions":[],"error":""},"name":"default","state":"operational"}],` +
	`"labels":{},"updated":"2026-11-20T09:00:00Z"},` +
	`{"node":"b","profiles":[{"applied":{"next":"maintenance-required","transitions":[` +
	`{"passed":false,"target":"in-maintenance","chain":{"passed":false,"info":{` +
	`"calm":{"id":"prometheusInstant","passed":false,"info":{"error":"no answer","reason":"no answer"}},` +
	`"due":{"id":"hasLabel","passed":true,"info":{"value":"true"}}},"expression":"due \u0026\u0026 calm"},"error":"failed check instances: calm"},` +
	`{"passed":false,"target":"operational","chain":{"passed":false,"info":{"due":{"id":"hasLabel","passed":true,"info":{"value":"true"}}},"expression":"!due"},"error":""}],` +
	`"error":"had failed transition checks: failed check instances: calm"},"name":"Disks","state":"maintenance-required"}],` +
	`"labels":{"zone":"z"},"updated":"2026-11-20T12:00:00Z"}]`

func TestHandler(t *testing.T) {
	for name, test := range map[string]struct {
		method     string
		nodesErr   error
		wantStatus int
		want       string
	}{
		"get":       {http.MethodGet, nil, http.StatusOK, want},
		"not ready": {http.MethodGet, errors.New("the nodes are not known yet"), http.StatusServiceUnavailable, `{"error":"the nodes are not known yet"}`},
		"post":      {http.MethodPost, nil, http.StatusMethodNotAllowed, "only GET is possible\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			handler(test.nodesErr).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), test.method, Path, nil))
			if w.Code != test.wantStatus {
				t.Errorf("status %d, want %d", w.Code, test.wantStatus)
			}
			if diff := cmp.Diff(test.want, w.Body.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
