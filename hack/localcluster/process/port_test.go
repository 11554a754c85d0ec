// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestWithFreePort(t *testing.T) {
	broken := errors.New("broken")
	taken := fmt.Errorf("could not start: %w", ErrPortTaken)
	for name, tc := range map[string]struct {
		results   []error // of one start after the other; the last one repeats
		wantCalls int
		wantErr   error
	}{
		"first port is free":       {results: []error{nil}, wantCalls: 1},
		"third port is free":       {results: []error{taken, taken, nil}, wantCalls: 3},
		"another error is final":   {results: []error{taken, broken}, wantCalls: 2, wantErr: broken},
		"gives up after some time": {results: []error{taken}, wantCalls: portAttempts, wantErr: ErrPortTaken},
	} {
		t.Run(name, func(t *testing.T) {
			var ports []int
			err := WithFreePort(t.Context(), func(_ context.Context, port int) error {
				ports = append(ports, port)
				return tc.results[min(len(ports), len(tc.results))-1]
			})
			if !errors.Is(err, tc.wantErr) {
				t.Errorf("got error %v, want %v", err, tc.wantErr)
			}
			if len(ports) != tc.wantCalls || slices.Contains(ports, 0) {
				t.Errorf("got ports %v, want %d", ports, tc.wantCalls)
			}
		})
	}
}
