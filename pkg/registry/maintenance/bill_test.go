// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Users pay on one bill for all that is stored for them, whatever the kind and the way. Dry runs, deletes and the server are
// free.
func TestOneBillForAllKinds(t *testing.T) {
	bill := resource.NewBill(clocktesting.NewFakePassiveClock(time.Now()))
	s := startServer(t, func(d *Dependencies) { d.Bill = bill })
	s.create("carol", "a", "worker-1")
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("p", `{"nodeSelector":{},"approvals":{"count":1}}`)).want(t, http.StatusCreated)
	s.do("alice", http.MethodPost, profilesPath, asJSON, profile("p", approved)).want(t, http.StatusCreated)
	hold := func(name string) string { return `{"metadata":{"name":"` + name + `"},"spec":{"nodeName":"worker-1"}}` }
	nodeProfile := v1beta1.NodeProfile{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "NodeProfile"},
		ObjectMeta: metav1.ObjectMeta{Name: "worker-1.p"}, Spec: v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "p"},
		Status: v1beta1.NodeProfileStatus{State: v1beta1.ProfileOperational, Sequence: 1},
	}
	s.do(server, http.MethodPost, nodeProfilesPath, asJSON, encode(t, nodeProfile)).want(t, http.StatusCreated)
	decision := `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeProfileDecision","decision":"Approve","sequence":1}`
	approval := `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenanceApproval","policy":"p","uid":"` + string(s.get("a").UID) + `","generation":1,"decision":"Denied","reason":"x"}`
	large := fmt.Sprintf(`{"metadata":{"annotations":{"large":%q}}}`, strings.Repeat("x", 2000))

	type write struct{ method, path, contentType, body string }
	writes := map[string]write{
		"create a hold":            {http.MethodPost, collection, asJSON, hold("b")},
		"create it through a node": {http.MethodPost, ofWorker1, asJSON, `{}`},
		"patch a hold":             {http.MethodPatch, collection + "/a", asMergePatch, large},
		"write its status":         {http.MethodPatch, collection + "/a/status", asMergePatch, `{"status":{"drainProgress":50}}`},
		"approve it":               {http.MethodPost, collection + "/a/approval", asJSON, approval},
		"create a policy":          {http.MethodPost, policies, asJSON, policyBody("q", `{"nodeSelector":{}}`)},
		"apply a policy":           {http.MethodPatch, policies + "/r?fieldManager=test", asApply, policyBody("r", `{"nodeSelector":{}}`)},
		"write its status ":        {http.MethodPatch, policies + "/p/status", asMergePatch, `{"status":{"selected":7}}`},
		"create a profile":         {http.MethodPost, profilesPath, asJSON, profile("q", approved)},
		"patch a profile":          {http.MethodPatch, profilesPath + "/p", asMergePatch, large},
		"create an endpoint":       {http.MethodPost, endpointsPath, asJSON, endpoint("e", `{"prometheus":{"url":"https://prometheus.example.com"}}`)},
		"create an event":          {http.MethodPost, eventsPath, asJSON, `{"metadata":{"name":"e"},"spec":{"source":"manual","code":"system-reboot","nodeName":"worker-1"}}`},
		"decide on a node profile": {http.MethodPost, nodeProfilesPath + "/worker-1.p/decision", asJSON, decision},
	}
	for bytes := 8 << 20; bytes > 0; bytes /= 2 { // what is left
		bill.Take("alice", bytes)
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			got := s.do("alice", write.method, write.path, write.contentType, write.body).want(t, http.StatusTooManyRequests)
			got.wantText(t, `user "alice" has written too many: each user may write 8 MiB at once, and 256 KiB per second after that; try again in `)
			if decode[metav1.Status](t, got).Details.RetryAfterSeconds == 0 {
				t.Error("the client is not told how long to wait")
			}
			separator := map[bool]string{true: "&", false: "?"}[strings.Contains(write.path, "?")]
			if free := s.do("alice", write.method, write.path+separator+"dryRun=All", write.contentType, write.body); free.code >= http.StatusBadRequest {
				t.Errorf("a dry run is answered with %d: %s", free.code, free.body)
			}
		})
	}
	for name, write := range writes {
		t.Run("another user: "+name, func(t *testing.T) {
			if got := s.do("bob", write.method, write.path, write.contentType, write.body); got.code >= http.StatusBadRequest {
				t.Errorf("answered with %d: %s", got.code, got.body)
			}
		})
	}
	s.do("alice", http.MethodPatch, policies+"/p", asMergePatch, `{"spec":{"approvals":{"count":1}}}`).want(t, http.StatusOK) // it is so
	s.do(server, http.MethodPatch, policies+"/p", asMergePatch, large).want(t, http.StatusOK)
	for _, path := range []string{policies + "/p", profilesPath + "/p", collection + "/a", policies} {
		s.do("alice", http.MethodDelete, path, asJSON, "").want(t, http.StatusOK)
	}
}
