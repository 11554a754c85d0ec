// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"testing"

	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// However many codes and sources users write, few series are shown, and none when the events are gone. The results of
// replacements are there before one has ended.
func TestMetricsAreBounded(t *testing.T) {
	registerMetrics()
	resetGauges()
	for i := range 400 {
		event := &v1beta1.ScheduledEvent{
			Spec:   v1beta1.ScheduledEventSpec{Source: fmt.Sprint("source-", i), Code: fmt.Sprint("code-", i)},
			Status: v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhasePending},
		}
		gauge(nil, event)
		next := event.DeepCopy()
		next.Status.Phase = v1beta1.EventPhaseIgnored
		gauge(event, next)
		defer func() {
			gauge(next, nil)
			if i == 0 {
				wantSeries(t, "maintenance_event_scheduled", 0)
			}
		}()
	}
	wantSeries(t, "maintenance_event_scheduled", 1)
	if got, err := testutil.GetGaugeMetricValue(eventsInPhase.WithLabelValues("other", "other", "Ignored")); got != 400 || err != nil {
		t.Errorf("%v events are ignored, error %v, want 400", got, err)
	}
	wantSeries(t, "maintenance_event_replacements_total", 2)
}

func wantSeries(t *testing.T, name string, want int) {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	for _, family := range families {
		if family.GetName() == name {
			got = len(family.GetMetric())
		}
	}
	if got != want {
		t.Errorf("%s has %d series, want %d", name, got, want)
	}
}
