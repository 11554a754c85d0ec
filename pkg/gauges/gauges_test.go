// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gauges

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
)

// A series that stays is in each scrape, one that is left over in none after it.
func TestReplaceMissesNoSeries(t *testing.T) {
	registry := metrics.NewKubeRegistry()
	gauge := New(&metrics.GaugeOpts{Name: "nodes", Help: "Nodes.", StabilityLevel: metrics.ALPHA}, "policy", "state")
	registry.MustRegister(gauge)
	show := func(round int) {
		var next Values
		next.Add(1, "stays", "open")
		next.Add(1, "changes", strconv.Itoa(round))
		gauge.Replace(next)
	}
	show(0)
	var writing sync.WaitGroup
	writing.Go(func() {
		for round := range 2000 {
			show(round)
		}
	})
	for range 500 {
		if got := scrape(t, registry); !got["stays open"] {
			t.Fatalf("a scrape shows %v", got)
		}
	}
	writing.Wait()
	if got := scrape(t, registry); len(got) != 2 || !got["changes 1999"] {
		t.Errorf("at the end a scrape shows %v", got)
	}
	gauge.Replace(Values{})
	if got := scrape(t, registry); len(got) != 0 {
		t.Errorf("with no values a scrape shows %v", got)
	}
}

// A value that is counted up and down is gone at 0.
func TestAddDropsSeriesAtZero(t *testing.T) {
	registry := metrics.NewKubeRegistry()
	gauge := New(&metrics.GaugeOpts{Name: "events", Help: "Events.", StabilityLevel: metrics.ALPHA}, "code", "phase")
	registry.MustRegister(gauge)
	for phase := range 100 {
		gauge.Add(1, "reboot", strconv.Itoa(phase))
		gauge.Add(1, "reboot", strconv.Itoa(phase+1))
		gauge.Add(-1, "reboot", strconv.Itoa(phase))
		gauge.Add(-1, "reboot", strconv.Itoa(phase+1))
	}
	gauge.Add(2, "reboot", "0")
	if got := scrape(t, registry); len(got) != 1 || !got["reboot 0"] {
		t.Errorf("a scrape shows %v", got)
	}
}

func scrape(t *testing.T, registry metrics.KubeRegistry) map[string]bool {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			shown[metric.GetLabel()[0].GetValue()+" "+metric.GetLabel()[1].GetValue()] = true
		}
	}
	return shown
}

// A counter is there before its first event, and goes with what it is about; what it has counted stays.
func TestCounter(t *testing.T) {
	c := NewCounter(&metrics.CounterOpts{Name: "events_total", Help: "h", StabilityLevel: metrics.ALPHA}, "of", "result")
	registry := metrics.NewKubeRegistry()
	registry.MustRegister(c)
	want := func(series string) {
		t.Helper()
		if err := testutil.GatherAndCompare(registry, strings.NewReader("# HELP events_total [ALPHA] h\n# TYPE events_total counter\n"+series)); err != nil {
			t.Error(err)
		}
	}
	c.Keep([]string{"a", "done"}, []string{"b", "done"})
	want("events_total{of=\"a\",result=\"done\"} 0\nevents_total{of=\"b\",result=\"done\"} 0\n")
	c.WithLabelValues("a", "done").Inc()
	c.Keep([]string{"a", "done"})
	want("events_total{of=\"a\",result=\"done\"} 1\n")
}
