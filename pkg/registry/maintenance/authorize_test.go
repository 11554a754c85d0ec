// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const asJSONPatch = "application/json-patch+json"

// Whoever may not change holds of the node learns nothing of one from what is wrong with a request.
func TestUpdatesAreAuthorizedBeforeAnythingElse(t *testing.T) {
	s := startServer(t)
	s.rights.take("mallory update nodes/maintenance")
	path := collection + "/a"
	nm := s.create("alice", "a", "worker-1")
	replaced := func(change func(*v1beta1.NodeMaintenance)) func() answer {
		return func() answer {
			changed := *nm.DeepCopy()
			change(&changed)
			return s.put("mallory", path, changed)
		}
	}
	patched := func(path, contentType, body string) func() answer {
		return func() answer { return s.do("mallory", http.MethodPatch, path, contentType, body) }
	}
	tests := map[string]func() answer{
		"another requestor":        patched(path, asMergePatch, `{"spec":{"requestor":"bob"}}`),
		"another node":             patched(path, asMergePatch, `{"spec":{"nodeName":"worker-2"}}`),
		"a wrong label":            patched(path, asMergePatch, `{"metadata":{"labels":{"-":"-"}}}`),
		"a wrong type":             patched(path, asMergePatch, `{"spec":{"stage":1}}`),
		"an unknown field":         patched(path+"?fieldValidation=Strict", asMergePatch, `{"spec":{"x":1}}`),
		"a question by test":       patched(path, asJSONPatch, `[{"op":"test","path":"/spec/requestor","value":"bob"}]`),
		"a conflict between users": patched(path+"?fieldManager=m", asApply, `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","spec":{"nodeName":"worker-2"}}`),
		"another UID":              replaced(func(nm *v1beta1.NodeMaintenance) { nm.UID = "x" }),
		"an old version":           replaced(func(nm *v1beta1.NodeMaintenance) { nm.ResourceVersion = "1" }),
		"no version":               replaced(func(nm *v1beta1.NodeMaintenance) { nm.ResourceVersion = "" }),
		"a wrong status":           patched(path+"/status", asMergePatch, `{"status":{"drainProgress":101}}`),
		"a status of a wrong type": patched(path+"/status", asMergePatch, `{"status":{"drainProgress":"x"}}`),
		"nothing":                  patched(path, asMergePatch, `{}`),
	}
	for name, try := range tests {
		t.Run(name, func(t *testing.T) {
			got := try().want(t, http.StatusForbidden)
			got.wantText(t, `User "mallory" cannot update resource "nodes/maintenance"`)
			if strings.Contains(string(got.body), "alice") {
				t.Errorf("the answer says whose hold it is: %s", got.body)
			}
		})
	}
}

// Every change of another's hold but of its status needs permission for nodes/holds.
func TestChangesOfAnothersHold(t *testing.T) {
	s := startServer(t)
	s.rights.take("bob update nodes/holds")
	path := collection + "/a"
	s.create("alice", "a", "worker-1")
	tests := map[string]struct {
		path, patch string
		want        int
	}{
		"a label":                    {patch: `{"metadata":{"labels":{"a":"b"}}}`, want: http.StatusForbidden},
		"what apply --prune reads":   {patch: `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}`, want: http.StatusForbidden},
		"the generated name":         {patch: `{"metadata":{"generateName":"a"}}`, want: http.StatusForbidden},
		"a wipe of managed fields":   {patch: `{"metadata":{"managedFields":[{}]}}`, want: http.StatusForbidden},
		"more managed fields":        {patch: `{"metadata":{"managedFields":[{"manager":"m","operation":"Update","apiVersion":"maintenance.medik8s.io/v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:reason":{}}}}]}}`, want: http.StatusForbidden},
		"managed fields of status":   {patch: `{"metadata":{"managedFields":[{"manager":"m","operation":"Update","subresource":"status","apiVersion":"maintenance.medik8s.io/v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:phase":{}}}}]}}`, want: http.StatusForbidden},
		"a finalizer":                {patch: `{"metadata":{"finalizers":["example.com/a"]}}`, want: http.StatusForbidden},
		"the reason":                 {patch: `{"spec":{"reason":"x"}}`, want: http.StatusForbidden},
		"the requestor, not allowed": {patch: `{"spec":{"requestor":"bob"}}`, want: http.StatusForbidden},
		"nothing":                    {patch: `{}`, want: http.StatusOK},
		"the requestor left out":     {patch: `{"spec":{"requestor":null}}`, want: http.StatusOK},
		"the server's finalizer off": {patch: `{"metadata":{"finalizers":null}}`, want: http.StatusOK},
		"the status by its owner":    {patch: `{"status":{"phase":"Running"}}`, want: http.StatusOK},
		"the status":                 {path: "/status", patch: `{"status":{"drainProgress":1}}`, want: http.StatusOK},
		"a wipe that is ignored":     {path: "/status", patch: `{"metadata":{"managedFields":[{}]},"status":{"drainProgress":2}}`, want: http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := s.get("a")
			got := s.do("bob", http.MethodPatch, path+test.path, asMergePatch, test.patch).want(t, test.want)
			if test.want != http.StatusForbidden {
				return
			}
			got.wantText(t, `User "bob" cannot update resource "nodes/holds"`)
			if now := s.get("a"); now.ResourceVersion != before.ResourceVersion {
				t.Errorf("it is stored: %+v", now)
			}
		})
	}
	if owners := s.get("a").ManagedFields; len(owners) < 2 {
		t.Errorf("the managers of its fields are lost: %v", owners)
	}
	minimal := s.get("a")
	minimal.UID, minimal.Finalizers, minimal.Spec.Requestor, minimal.ManagedFields = "", nil, "", nil
	s.put("bob", path, minimal).want(t, http.StatusOK)
}

// A precondition that fails quotes the hold. Only who may delete the hold reads that.
func TestDeletesAreAuthorizedBeforePreconditions(t *testing.T) {
	s := startServer(t)
	s.rights.take("mallory delete nodes/maintenance", "mallory delete nodes/holds")
	nm := s.create("alice", "a", "worker-1")
	for _, precondition := range []string{`"uid":"x"`, `"resourceVersion":"1"`} {
		body := `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{` + precondition + `}}`
		got := s.do("mallory", http.MethodDelete, collection+"/a", "application/json", body).want(t, http.StatusForbidden)
		if strings.Contains(string(got.body), string(nm.UID)) {
			t.Errorf("the answer says the UID: %s", got.body)
		}
		s.do("alice", http.MethodDelete, collection+"/a", "application/json", body).want(t, http.StatusConflict)
	}
}
