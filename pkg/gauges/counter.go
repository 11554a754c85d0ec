// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gauges

import (
	"strings"
	"sync"

	"k8s.io/component-base/metrics"
)

// Counter is a CounterVec whose series are there before their first event, and go with what they are about: an alert sees a
// first event only as a change.
type Counter struct {
	*metrics.CounterVec
	names []string

	mu   sync.Mutex
	kept map[string][]string
}

// NewCounter returns a counter that shows nothing. It is not registered.
func NewCounter(options *metrics.CounterOpts, labels ...string) *Counter {
	return &Counter{CounterVec: metrics.NewCounterVec(options, labels), names: labels}
}

// Keep has the series with these label values shown, from 0 on, and those dropped that were kept before and are not among
// them.
func (c *Counter) Keep(series ...[]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := map[string][]string{}
	for _, labels := range series {
		kept[strings.Join(labels, "\x00")] = labels
		c.WithLabelValues(labels...).Add(0)
	}
	for key, labels := range c.kept {
		if _, stays := kept[key]; stays {
			continue
		}
		values := map[string]string{}
		for i, name := range c.names {
			values[name] = labels[i]
		}
		c.Delete(values)
	}
	c.kept = kept
}
