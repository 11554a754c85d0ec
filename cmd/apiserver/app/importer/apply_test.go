// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// storedAs is the object m as it is stored when the import comes to it; deleted means that somebody has just
// deleted it.
func storedAs(uid types.UID, deleted bool) []runtime.Object {
	stored := &unstructured.Unstructured{}
	stored.SetAPIVersion("nodemaintenance.medik8s.io/v1beta1")
	stored.SetKind("NodeMaintenance")
	stored.SetName("m")
	stored.SetUID(uid)
	stored.SetFinalizers([]string{finalizer, "example.com/other"})
	if deleted {
		stored.SetDeletionTimestamp(ptr.To(metav1.NewTime(later)))
	}
	return []runtime.Object{stored}
}

// Users delete objects while an import runs. No such delete gets lost.
func TestCarryOut(t *testing.T) {
	const uid, deleted, hold = "uid-of-m", true, "hold"
	lasting := func() step {
		return step{object: old(), create: &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: hold}}, hold: hold, handOver: true}
	}
	tests := map[string]struct {
		stored   []runtime.Object // the object by now
		change   func(*step)
		wantErr  error
		wantHold bool
		wantKept bool // the operator's finalizer
	}{
		"as planned":              {stored: storedAs(uid, false), wantHold: true},
		"deleted meanwhile":       {stored: storedAs(uid, deleted), wantErr: errDeleted, wantHold: true, wantKept: true},
		"deleted before":          {stored: storedAs(uid, deleted), change: func(s *step) { s.end = true }},
		"deleted late":            {stored: storedAs(uid, deleted), change: func(s *step) { s.late = true }},
		"deleted by its CRD":      {stored: storedAs(uid, deleted), change: func(s *step) { s.object.doomed = true }, wantHold: true},
		"gone":                    {wantErr: errGone},
		"gone, and was to end":    {change: func(s *step) { s.end = true }},
		"created again":           {stored: storedAs("another", false), wantErr: errGone, wantKept: true},
		"created again, no hold":  {stored: storedAs("another", false), change: func(s *step) { s.create, s.hold = nil, "" }, wantErr: errReplaced, wantKept: true},
		"created again, was late": {stored: storedAs("another", false), change: func(s *step) { s.late = true }, wantErr: errReplaced, wantKept: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			i := &importer{dynamic: dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), test.stored...), maintenance: fake.NewSimpleClientset()}
			s := lasting()
			if test.change != nil {
				test.change(&s)
			}
			done, err := i.carryOut(t.Context(), &s)
			if !errors.Is(err, test.wantErr) {
				t.Errorf("done %q, error %v, want %v", done, err, test.wantErr)
			}
			if _, err := i.maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), hold, metav1.GetOptions{}); (err == nil) != test.wantHold {
				t.Errorf("hold: %v, want it there: %t", err, test.wantHold)
			}
			i.wantFinalizer(t, len(test.stored) > 0 && test.wantKept)
		})
	}
}

func (i *importer) wantFinalizer(t *testing.T, want bool) {
	t.Helper()
	resource := medik8s.resource("v1beta1")
	found, err := i.dynamic.Resource(resource).Get(t.Context(), "m", metav1.GetOptions{})
	if kept := err == nil && slices.Contains(found.GetFinalizers(), finalizer); kept != want {
		t.Errorf("the operator's finalizer is kept: %t, want %t", kept, want)
	}
}

// What others wrote does not change how the table looks, and nothing to do leaves no gap.
func TestOutput(t *testing.T) {
	steps := []step{{object: old(), action: "none: imported before as \x1b[2J\nall is well"}}
	var out bytes.Buffer
	show(&out, steps, nil)
	if err := (&importer{}).carryOutAll(t.Context(), steps, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "\x1b") || strings.Contains(text, "\nall is well") || strings.Contains(text, "\n\n\n") {
		t.Errorf("an escape sequence, a line of an annotation, or two empty lines in %q", text)
	}
}

// Without a Lease of a leader, nobody knows whether an operator runs.
func TestNoElection(t *testing.T) {
	i := &importer{kube: kubefake.NewSimpleClientset()}
	found, err := i.operators(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"it is not known whether the operator runs, which must not be: no Lease is called 135b1886.medik8s.io, by which the operators elect a leader",
		"it is not known whether the operator runs, which must not be: no Lease is called 135b1886.kubevirt.io, by which the operators elect a leader",
	}
	if got := found.warnings(); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}
