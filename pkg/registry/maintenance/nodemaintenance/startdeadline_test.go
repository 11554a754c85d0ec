// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
)

// Nobody comes first by a deadline that was missed before it was written.
func TestStartDeadlineIsInTheFuture(t *testing.T) {
	now := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *metav1.Time { return ptr.To(metav1.NewTime(now.Add(d))) }
	const past = "must be after 2026-11-02T08:00:00Z, which is now; leave it out if the maintenance may start at any time"
	tests := map[string]struct {
		old, deadline *metav1.Time
		wantCreate    string
		wantUpdate    string
	}{
		"none":              {},
		"taken away":        {old: at(-time.Hour)},
		"future":            {deadline: at(time.Second)},
		"now":               {deadline: at(0), wantCreate: past, wantUpdate: past},
		"past":              {deadline: at(-time.Hour), wantCreate: past, wantUpdate: past},
		"missed, as it was": {old: at(-time.Hour), deadline: at(-time.Hour), wantCreate: past},
		"changed to past":   {old: at(time.Hour), deadline: at(-time.Hour), wantCreate: past, wantUpdate: past},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old := stored()
			old.Spec.StartDeadline = test.old
			changed := old.DeepCopy()
			changed.Spec.StartDeadline = test.deadline
			s := newRules(func() time.Time { return now }).Strategy(scheme.Scheme)
			wantDeadlineError(t, s.Validate(t.Context(), changed), test.wantCreate)
			wantDeadlineError(t, s.ValidateUpdate(t.Context(), changed, old), test.wantUpdate)
		})
	}
}

func wantDeadlineError(t *testing.T, errs field.ErrorList, want string) {
	t.Helper()
	got := ""
	for _, err := range errs {
		if err.Field == "spec.startDeadline" {
			got = err.Detail
		}
	}
	if got != want {
		t.Errorf("got %q in %v, want %q", got, errs, want)
	}
}
