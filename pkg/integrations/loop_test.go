// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
)

func TestLoop(t *testing.T) {
	tests := map[string]struct {
		waits            bool
		lasts            time.Duration
		wantMin, wantMax time.Duration
	}{
		"nothing is under way":   {wantMin: time.Minute, wantMax: 66 * time.Second},
		"something is under way": {waits: true, wantMin: BusyInterval, wantMax: BusyInterval},
		"a round that hangs":     {waits: true, lasts: time.Hour, wantMin: roundTimeout + BusyInterval, wantMax: roundTimeout + BusyInterval},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				var begun []time.Time
				Loop(ctx, clock.RealClock{}, time.Minute, func(round context.Context) bool {
					if begun = append(begun, time.Now()); len(begun) == 3 {
						stop()
					}
					if test.lasts > 0 {
						hang, cancel := context.WithTimeout(round, test.lasts)
						defer cancel()
						<-hang.Done()
					}
					return test.waits
				})
				for i, at := range begun[1:] {
					if apart := at.Sub(begun[i]); apart < test.wantMin || apart > test.wantMax {
						t.Errorf("rounds are %s apart, want %s to %s", apart, test.wantMin, test.wantMax)
					}
				}
			})
		})
	}
}
