// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestRefusal(t *testing.T) {
	nodes := schema.GroupResource{Resource: "nodes"}
	tests := map[string]struct {
		err        error
		wantFailed bool
	}{
		"invalid":                   {err: apierrors.NewInvalid(schema.GroupKind{Kind: "Node"}, "a", nil), wantFailed: true},
		"forbidden":                 {err: apierrors.NewForbidden(nodes, "a", errors.New("no")), wantFailed: true},
		"bad":                       {err: apierrors.NewBadRequest("no"), wantFailed: true},
		"conflict":                  {err: apierrors.NewConflict(nodes, "a", errors.New("changed"))},
		"gone":                      {err: apierrors.NewNotFound(nodes, "a")},
		"too many requests":         {err: apierrors.NewTooManyRequests("later", 1)},
		"credentials are not known": {err: apierrors.NewUnauthorized("who")},
		"no answer":                 {err: context.DeadlineExceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			progress, err := Refusal("patch node a", test.err)
			if failed := progress.State == v1beta1.StepFailed; failed != test.wantFailed || (err == nil) != test.wantFailed {
				t.Errorf("progress %+v, error %v, want failed: %t", progress, err, test.wantFailed)
			}
			if !test.wantFailed && !errors.Is(err, test.err) {
				t.Errorf("got %v, want it to wrap %v", err, test.err)
			}
		})
	}
}
