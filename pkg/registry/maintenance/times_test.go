// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"testing"
)

// No time that somebody sends makes the list unreadable: the last hours of the year 9999 of a zone behind UTC are in the
// year 10000 there.
func TestEveryTimeCanBeReadAgain(t *testing.T) {
	const last = `"9999-12-31T23:59:59-14:00"`
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	s.do("alice", http.MethodPost, policies, asJSON, `{"metadata":{"name":"workers"},"spec":{"nodeSelector":{}}}`).want(t, http.StatusCreated)
	s.do("alice", http.MethodPost, collection, asJSON, `{"metadata":{"name":"b"},"spec":{"nodeName":"worker-1","notBefore":`+last+`}}`).
		want(t, http.StatusUnprocessableEntity).wantText(t, "spec.notBefore")
	s.do("alice", http.MethodPatch, policies+"/workers", asMergePatch, `{"spec":{"autoStop":{"failures":1,"ignoreBefore":`+last+`}}}`).
		want(t, http.StatusUnprocessableEntity).wantText(t, "spec.autoStop.ignoreBefore")
	const refusal = "the time 10000-01-01T13:59:59Z cannot be stored: its year in UTC must be between 0 and 9999"
	for path, patch := range map[string]string{
		collection + "/a/status":     `{"status":{"startTime":` + last + `}}`,
		policies + "/workers/status": `{"status":{"stoppedTime":` + last + `}}`,
		collection + "/a": `{"metadata":{"managedFields":[{"manager":"x","operation":"Update","apiVersion":"maintenance.medik8s.io/v1beta1","time":` +
			last + `,"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:reason":{}}}}]}}`,
	} {
		s.do("alice", http.MethodPatch, path, asMergePatch, patch).want(t, http.StatusBadRequest).wantText(t, refusal)
	}
	s.do("alice", http.MethodGet, collection, asJSON, "").want(t, http.StatusOK).wantText(t, `"name":"a"`)
	s.do("alice", http.MethodGet, policies, asJSON, "").want(t, http.StatusOK).wantText(t, `"name":"workers"`)
}
