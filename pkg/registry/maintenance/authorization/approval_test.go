// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func approvalOf(operation admission.Operation, object, old runtime.Object) admission.Attributes {
	return admission.NewAttributesRecord(object, old, v1beta1.SchemeGroupVersion.WithKind("MaintenanceApproval"), "", "a",
		v1beta1.SchemeGroupVersion.WithResource("nodemaintenances"), "approval", operation, nil, false, &user.DefaultInfo{Name: "alice"})
}

func TestRightToApprove(t *testing.T) {
	decided := &v1beta1.MaintenanceApproval{Policy: "workers", Decision: v1beta1.DecisionApproved}
	tests := map[string]admission.Attributes{
		"made":      approvalOf(admission.Create, decided, nil),
		"withdrawn": approvalOf(admission.Delete, nil, decided),
	}
	for name, attributes := range tests {
		t.Run(name, func(t *testing.T) {
			a := &asked{}
			if err := New(a, "").Validate(t.Context(), attributes, nil); err != nil {
				t.Errorf("refused: %v", err)
			}
			if want := []string{"approve maintenancepolicies/ workers"}; !slices.Equal(a.rights, want) {
				t.Errorf("asked for %q, want %q", a.rights, want)
			}
			err := New(&asked{refuse: "approve"}, "").Validate(t.Context(), attributes, nil)
			want := `User "alice" cannot approve resource "maintenancepolicies" in API group "maintenance.medik8s.io" named "workers"`
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want a 403 that says %s", err, want)
			}
			if err := New(&asked{refuse: "approve", err: errors.New("no route to host")}, "").Validate(t.Context(), attributes, nil); !apierrors.IsInternalError(err) {
				t.Errorf("without an answer: got %v, want a 500", err)
			}
		})
	}
}

func TestDecisionForNoPolicy(t *testing.T) {
	for name, object := range map[string]runtime.Object{"no policy": &v1beta1.MaintenanceApproval{}, "another kind": makeHold()} {
		t.Run(name, func(t *testing.T) {
			if err := New(&asked{}, "").Validate(t.Context(), approvalOf(admission.Create, object, nil), nil); !apierrors.IsInternalError(err) {
				t.Errorf("got %v, want a 500", err)
			}
		})
	}
}
