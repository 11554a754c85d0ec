// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package panics

import (
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestToError(t *testing.T) {
	tests := map[string]struct {
		do   func() error
		want func(error) bool
	}{
		"success": {do: func() error { return nil }, want: func(err error) bool { return err == nil }},
		"error": {
			do:   func() error { return errors.ErrUnsupported },
			want: func(err error) bool { return errors.Is(err, errors.ErrUnsupported) },
		},
		"panic": {
			do: func() error { panic("boom") },
			want: func(err error) bool {
				return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "panic: boom")
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := ToError(t.Context(), test.do); !test.want(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}
