// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	policies = "/apis/maintenance.medik8s.io/v1beta1/maintenancepolicies"
	ledgers  = "/apis/maintenance.medik8s.io/v1beta1/maintenanceledgers"
)

func policyBody(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenancePolicy","metadata":{"name":%q},"spec":%s}`, name, spec)
}

func (s *testServer) policy(name string) v1beta1.MaintenancePolicy {
	s.t.Helper()
	return decode[v1beta1.MaintenancePolicy](s.t, s.do("alice", http.MethodGet, policies+"/"+name, asJSON, "").want(s.t, http.StatusOK))
}

// A client writes the spec, and the server the status.
func TestPolicyIsServed(t *testing.T) {
	s := startServer(t)
	apply := policies + "/workers?fieldManager=test"
	s.do("alice", http.MethodPatch, apply, asApply, policyBody("workers", `{"nodeSelector":{}}`)).want(t, http.StatusCreated)
	s.do("alice", http.MethodPatch, policies+"/workers", asMergePatch, `{"status":{"selected":7}}`).want(t, http.StatusOK)
	s.do("alice", http.MethodPatch, policies+"/workers/status", asMergePatch,
		`{"spec":{"paused":true},"metadata":{"labels":{"a":"b"}},"status":{"observedGeneration":1,"selected":3,"nextOpenings":[{"from":"2026-12-05T20:00:00Z"}]}}`).
		want(t, http.StatusOK)
	got := s.policy("workers")
	if diff := cmp.Diff(v1beta1.MaintenancePolicyStatus{ObservedGeneration: 1, Selected: 3}, got.Status); diff != "" {
		t.Errorf("status differs (-want +got):\n%s", diff)
	}
	if got.Spec.Paused || len(got.Labels) > 0 || got.Generation != 1 {
		t.Errorf("a write of the status changed paused to %v, labels to %v, the generation to %d", got.Spec.Paused, got.Labels, got.Generation)
	}
	s.do("alice", http.MethodPatch, apply+"&force=true", asApply, policyBody("workers", `{"nodeSelector":{},"paused":true}`)).want(t, http.StatusOK)
	if got := s.policy("workers"); got.Generation != 2 || got.Status.Selected != 3 {
		t.Errorf("got generation %d and %d nodes, want 2 and 3", got.Generation, got.Status.Selected)
	}
	s.do("alice", http.MethodDelete, policies+"/workers", asJSON, "").want(t, http.StatusOK)
}

func TestRefusedPolicies(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("none", `{}`)).want(t, http.StatusUnprocessableEntity).
		wantText(t, "spec.nodeSelector: Required value: must select the nodes that the policy is for; {} selects all nodes")
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("None", `{"nodeSelector":{}}`)).want(t, http.StatusUnprocessableEntity).
		wantText(t, "metadata.name")
}

// Every decision looks at each policy, so there are not many.
func TestNumberOfPolicies(t *testing.T) {
	s := startServer(t)
	for i := range 64 {
		s.do("alice", http.MethodPost, policies, asJSON, policyBody(fmt.Sprintf("p-%d", i), `{"nodeSelector":{}}`)).want(t, http.StatusCreated)
	}
	const want = "there are 64 MaintenancePolicies, and there may be 64: delete one first"
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("more", `{"nodeSelector":{}}`)).want(t, http.StatusForbidden).wantText(t, want)
	s.do("alice", http.MethodPatch, policies+"/more?fieldManager=test", asApply, policyBody("more", `{"nodeSelector":{}}`)).
		want(t, http.StatusForbidden).wantText(t, want)
	s.do("alice", http.MethodPatch, policies+"/p-1?fieldManager=test&force=true", asApply, policyBody("p-1", `{"nodeSelector":{},"paused":true}`)).want(t, http.StatusOK)
	s.do("alice", http.MethodDelete, policies+"/p-2", asJSON, "").want(t, http.StatusOK)
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("more", `{"nodeSelector":{}}`)).want(t, http.StatusCreated)
}

// The ledger is the server's own, whatever RBAC says; everybody may read it.
func TestOnlyTheServerWritesTheLedger(t *testing.T) {
	s := startServer(t)
	body := func(name string) string {
		return fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"MaintenanceLedger","metadata":{"name":%q},"spec":{"epoch":1}}`, name)
	}
	const want = "only maintenance-apiserver itself writes MaintenanceLedgers"
	s.do("alice", http.MethodPost, ledgers, asJSON, body("cluster")).want(t, http.StatusForbidden).wantText(t, want)
	s.do("alice", http.MethodPatch, ledgers+"/cluster?fieldManager=test", asApply, body("cluster")).want(t, http.StatusForbidden).wantText(t, want)
	s.do(server, http.MethodPost, ledgers, asJSON, body("other")).want(t, http.StatusUnprocessableEntity).
		wantText(t, `metadata.name: Unsupported value: "other": supported values: "cluster"`)
	created := decode[v1beta1.MaintenanceLedger](t, s.do(server, http.MethodPost, ledgers, asJSON, body("cluster")).want(t, http.StatusCreated))
	if len(created.ManagedFields) > 0 {
		t.Errorf("the owners of fields are followed: %v", created.ManagedFields)
	}
	s.do("alice", http.MethodPatch, ledgers+"/cluster", asMergePatch, `{"spec":{"epoch":2}}`).want(t, http.StatusForbidden).wantText(t, want)
	s.do("alice", http.MethodDelete, ledgers+"/cluster", asJSON, "").want(t, http.StatusForbidden).wantText(t, want)
	s.do("alice", http.MethodDelete, ledgers, asJSON, "").want(t, http.StatusForbidden).wantText(t, want)
	if got := decode[v1beta1.MaintenanceLedger](t, s.do("alice", http.MethodGet, ledgers+"/cluster", asJSON, "").want(t, http.StatusOK)); got.Spec.Epoch != 1 {
		t.Errorf("alice sees epoch %d, want 1", got.Spec.Epoch)
	}
}

// A write that was decided on an older ledger fails, and one with thousands of nodes does not.
func TestWritesOfTheLedger(t *testing.T) {
	s := startServer(t)
	ledger := v1beta1.MaintenanceLedger{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "MaintenanceLedger"},
		ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName},
	}
	first := decode[v1beta1.MaintenanceLedger](t, s.do(server, http.MethodPost, ledgers, asJSON, encode(t, ledger)).want(t, http.StatusCreated))
	first.Spec.Entries = manyEntries(3500)
	second := decode[v1beta1.MaintenanceLedger](t, s.do(server, http.MethodPut, ledgers+"/cluster", asJSON, encode(t, first)).want(t, http.StatusOK))
	if len(second.ManagedFields) > 0 {
		t.Errorf("the owners of fields are followed: %v", second.ManagedFields)
	}
	t.Logf("the ledger has %d bytes", len(encode(t, second)))
	s.do(server, http.MethodPut, ledgers+"/cluster", asJSON, encode(t, first)).want(t, http.StatusConflict)
	second.ResourceVersion = ""
	s.do(server, http.MethodPut, ledgers+"/cluster", asJSON, encode(t, second)).want(t, http.StatusUnprocessableEntity).
		wantText(t, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
}

func encode(t *testing.T, object any) string {
	t.Helper()
	body, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func manyEntries(count int) []v1beta1.LedgerEntry {
	const uid = "8f5e4a4e-1c4f-4c43-9c3b-2f1d0b6f9a10"
	var entries []v1beta1.LedgerEntry
	now := metav1.NowMicro()
	for i := range count {
		name := fmt.Sprintf("worker-%d", i)
		entries = append(entries, v1beta1.LedgerEntry{
			Node: name, NodeUID: uid, AdmittedTime: now,
			Holds:    []v1beta1.LedgerHold{{UID: uid, Stage: v1beta1.StageDrain, Time: now}},
			Policies: []v1beta1.LedgerPolicy{{Name: "workers", Generation: 3, Domains: []v1beta1.LedgerDomain{{Key: "topology.kubernetes.io/zone", Value: "a"}}}},
		})
	}
	return entries
}

func TestPolicyColumns(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("workers", `{"nodeSelector":{}}`)).want(t, http.StatusCreated)
	table := decode[metav1.Table](t, s.do("alice", http.MethodGet, policies, asTable, "").want(t, http.StatusOK))
	var headings []string
	for _, column := range table.ColumnDefinitions {
		if column.Priority == 0 {
			headings = append(headings, column.Name)
		}
	}
	if got, want := strings.Join(headings, "|"), "Name|Nodes|In Maintenance|Unavailable|Waiting|Open|Age"; got != want {
		t.Errorf("got columns %s, want %s", got, want)
	}
}
