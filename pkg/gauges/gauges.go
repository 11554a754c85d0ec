// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gauges has a metric with labels show what is true now: no series is left over, and a scrape misses none.
package gauges

import (
	"strings"
	"sync"

	"k8s.io/component-base/metrics"
)

// Values are the values that a gauge is to show. The zero value has none.
type Values struct {
	series map[string]series
}

type series struct {
	labels []string
	value  float64
}

// Add adds to the value with these label values, which begins at 0.
func (v *Values) Add(value float64, labels ...string) {
	if v.series == nil {
		v.series = map[string]series{}
	}
	key := strings.Join(labels, "\x00")
	v.series[key] = series{labels: labels, value: v.series[key].value + value}
}

// Gauge is a GaugeVec whose series are written by Replace and Add alone.
type Gauge struct {
	*metrics.GaugeVec

	mu    sync.Mutex
	shown Values
}

// New returns a gauge that shows nothing. It is not registered.
func New(options *metrics.GaugeOpts, labels ...string) *Gauge {
	return &Gauge{GaugeVec: metrics.NewGaugeVec(options, labels)}
}

// Replace has the gauge show these values and no others. What was shown, and still is to be, is there all the time.
func (g *Gauge) Replace(next Values) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range next.series {
		g.WithLabelValues(s.labels...).Set(s.value)
	}
	for key, s := range g.shown.series {
		if _, stays := next.series[key]; !stays {
			g.DeleteLabelValues(s.labels...)
		}
	}
	g.shown = next
}

// Add adds to one value. A series goes when its value is 0.
func (g *Gauge) Add(value float64, labels ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown.Add(value, labels...)
	key := strings.Join(labels, "\x00")
	if now := g.shown.series[key].value; now != 0 {
		g.WithLabelValues(labels...).Set(now)
		return
	}
	delete(g.shown.series, key)
	g.DeleteLabelValues(labels...)
}
