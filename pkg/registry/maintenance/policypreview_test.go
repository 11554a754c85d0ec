// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// testPreviewer warns of each policy that is paused, and finds one opening.
type testPreviewer struct{ unknown atomic.Bool }

func (p *testPreviewer) Preview(_ context.Context, policy *v1beta1.MaintenancePolicy) (*v1beta1.MaintenancePolicyStatus, error) {
	if p.unknown.Load() {
		return nil, errors.New("the nodes are not known yet")
	}
	opening := v1beta1.PolicyOpening{From: metav1.NewTime(time.Date(2026, 11, 28, 21, 0, 0, 0, time.UTC))}
	return &v1beta1.MaintenancePolicyStatus{
		ObservedGeneration: policy.Generation, Selected: 4, NextOpenings: []v1beta1.PolicyOpening{opening},
	}, nil
}

func (*testPreviewer) Warnings(_ context.Context, policy *v1beta1.MaintenancePolicy) []string {
	if policy.Spec.Paused {
		return []string{"it is paused"}
	}
	return nil
}

// Freed tells what it was asked.
func (*testPreviewer) Freed(_ context.Context, before, after []*v1beta1.MaintenancePolicy) []string {
	if len(after) == 0 {
		var names []string
		for _, policy := range before {
			names = append(names, policy.Name)
		}
		return []string{"deleted: " + strings.Join(names, " ")}
	}
	return []string{
		"selector: " + metav1.FormatLabelSelector(before[0].Spec.NodeSelector) + " to " + metav1.FormatLabelSelector(after[0].Spec.NodeSelector),
	}
}

const (
	running = `{"nodeSelector":{}}`
	paused  = `{"nodeSelector":{},"paused":true}`
)

// A dry run shows the status that the policy would have, and stores nothing.
func TestDryRunOfPolicy(t *testing.T) {
	s := startServer(t)
	created := s.do("alice", http.MethodPost, policies+"?dryRun=All", asJSON, policyBody("workers", paused)).want(t, http.StatusCreated)
	wantPreview(t, created, 1)
	s.do("alice", http.MethodGet, policies+"/workers", asJSON, "").want(t, http.StatusNotFound)
	apply := policies + "/workers?fieldManager=test&force=true"
	wantPreview(t, s.do("alice", http.MethodPatch, apply+"&dryRun=All", asApply, policyBody("workers", paused)).want(t, http.StatusCreated), 1)

	s.do("alice", http.MethodPost, policies, asJSON, policyBody("workers", running)).want(t, http.StatusCreated)
	wantPreview(t, s.do("alice", http.MethodPatch, apply+"&dryRun=All", asApply, policyBody("workers", paused)).want(t, http.StatusOK), 2)
	if got := s.policy("workers"); got.Status.Selected != 0 || len(got.Status.NextOpenings) > 0 || got.Spec.Paused {
		t.Errorf("a dry run was stored: %+v", got)
	}
}

func wantPreview(t *testing.T, a answer, generation int64) {
	t.Helper()
	a.wantText(t, "it is paused")
	status := decode[v1beta1.MaintenancePolicy](t, a).Status
	if status.ObservedGeneration != generation || status.Selected != 4 || len(status.NextOpenings) != 1 {
		t.Errorf("status = %+v, want the preview of generation %d", status, generation)
	}
}

func (a answer) wantNoWarning(t *testing.T) {
	t.Helper()
	if len(a.warnings) > 0 {
		t.Errorf("got warnings %q, want none", a.warnings)
	}
}

// Whoever writes a spec is warned, and whoever writes something else is not.
func TestWarningsOfPolicy(t *testing.T) {
	s := startServer(t)
	created := s.do("alice", http.MethodPost, policies, asJSON, policyBody("workers", paused)).want(t, http.StatusCreated)
	created.wantText(t, "it is paused")
	if got := decode[v1beta1.MaintenancePolicy](t, created).Status; got.Selected != 0 || len(got.NextOpenings) > 0 {
		t.Errorf("the answer has a preview: %+v", got)
	}
	apply := policies + "/workers?fieldManager=test&force=true"
	s.do("alice", http.MethodPatch, apply, asApply, policyBody("workers", paused)).want(t, http.StatusOK).wantNoWarning(t)
	s.do("alice", http.MethodPatch, policies+"/workers", asMergePatch, `{"metadata":{"labels":{"a":"b"}}}`).want(t, http.StatusOK).wantNoWarning(t)
	s.do("alice", http.MethodPatch, policies+"/workers", asMergePatch, `{"spec":{"queue":{"agingSeconds":1}}}`).
		want(t, http.StatusOK).wantText(t, "it is paused")
	s.do("alice", http.MethodPatch, policies+"/more?fieldManager=test", asApply, policyBody("more", paused)).
		want(t, http.StatusCreated).wantText(t, "it is paused")
}

func TestDryRunWithoutPreview(t *testing.T) {
	s := startServer(t)
	s.previewer.unknown.Store(true)
	created := s.do("alice", http.MethodPost, policies+"?dryRun=All", asJSON, policyBody("workers", running)).want(t, http.StatusCreated)
	created.wantText(t, "status does not say what the policy would mean now: the nodes are not known yet")
}

// Whoever lets maintenance start without a policy, by a delete or by another selector, is warned, also in a dry run.
func TestWarningsOfFreed(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodPost, policies, asJSON, policyBody("workers", running)).want(t, http.StatusCreated).wantNoWarning(t)
	s.do("alice", http.MethodPatch, policies+"/workers", asMergePatch, `{"spec":{"queue":{"agingSeconds":1}}}`).
		want(t, http.StatusOK).wantNoWarning(t)
	selector := `{"spec":{"nodeSelector":{"matchLabels":{"a":"b"}}}}`
	for _, dryRun := range []string{"?dryRun=All", ""} {
		s.do("alice", http.MethodPatch, policies+"/workers"+dryRun, asMergePatch, selector).
			want(t, http.StatusOK).wantText(t, "selector: <none> to a=b")
	}
	for _, dryRun := range []string{"?dryRun=All", ""} {
		s.do("alice", http.MethodDelete, policies+"/workers"+dryRun, asJSON, "").want(t, http.StatusOK).wantText(t, "deleted: workers")
	}
	for _, name := range []string{"one", "other"} {
		s.do("alice", http.MethodPost, policies, asJSON, policyBody(name, running)).want(t, http.StatusCreated).wantNoWarning(t)
	}
	for _, dryRun := range []string{"?dryRun=All", ""} {
		s.do("admin", http.MethodDelete, policies+dryRun, asJSON, "").want(t, http.StatusOK).wantText(t, "deleted: one other")
	}
	s.do("admin", http.MethodDelete, policies, asJSON, "").want(t, http.StatusOK).wantNoWarning(t)
}
