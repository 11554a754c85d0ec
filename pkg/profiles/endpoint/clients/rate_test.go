// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// TestPerMinute calls as often as it may, for some minutes, and counts the calls of each minute.
func TestPerMinute(t *testing.T) {
	for name, perMinute := range map[string]int32{"1": 1, "7": 7, "60": 60, "600": 600} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("https://a.example.com"), PerMinute: &perMinute})
			e, err := w.find("e")
			if err != nil {
				t.Fatal(err)
			}
			var calls []time.Time
			now := w.clock.Now()
			for now.Sub(w.clock.Now()) < 5*time.Minute {
				now = now.Add(w.limiter(e).ReserveN(now, 1).DelayFrom(now))
				calls = append(calls, now)
			}
			if most := int(perMinute); len(calls) < 5*most*9/10 {
				t.Errorf("%d calls in 5 minutes", len(calls))
			}
			for i := int(perMinute); i < len(calls); i++ {
				if calls[i].Sub(calls[i-int(perMinute)]) < time.Minute-time.Millisecond {
					t.Fatalf("%d calls in less than a minute", perMinute+1)
				}
			}
		})
	}
}

func TestWait(t *testing.T) {
	w := newWorld(t)
	spec := v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("https://a.example.com"), PerMinute: ptr.To[int32](1)}
	w.endpoint("e", "", spec)
	if err := w.Wait(t.Context(), "e"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Wait(ctx, "e"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "perMinute") {
		t.Errorf("error %v", err)
	}
	waited := make(chan error)
	go func() { waited <- w.Wait(t.Context(), "e") }()
	for !w.clock.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-waited:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	w.clock.Step(time.Minute)
	if err := <-waited; err != nil {
		t.Error(err)
	}
	spec.PerMinute = ptr.To[int32](6000)
	w.endpoint("e", "", spec)
	if e, err := w.find("e"); err != nil || w.limiter(e).Burst() != 600 {
		t.Errorf("error %v, a new perMinute does not count", err)
	}
	w.clock.Step(time.Second)
	for range 50 {
		if err := w.Wait(t.Context(), "e"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Wait(t.Context(), "gone"); err == nil {
		t.Error("no error for an endpoint that does not exist")
	}
}
