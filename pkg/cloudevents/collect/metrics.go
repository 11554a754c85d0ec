// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package collect

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
)

const (
	labelSource = "source"
	labelRegion = "region"
)

var (
	polls = metrics.NewCounterVec(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "polls_total",
		Help: "How often a region of a cloud was asked for events, by result: success or failure.", StabilityLevel: metrics.ALPHA,
	}, []string{labelSource, labelRegion, "result"})

	lastPoll = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "last_poll_timestamp_seconds",
		Help: "When a region of a cloud has last answered all that it was asked. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	}, []string{labelSource, labelRegion})

	failures = metrics.NewCounterVec(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "collect_errors_total",
		Help: "How often not all events of a cloud could be stored. The log says why.", StabilityLevel: metrics.ALPHA,
	}, []string{labelSource})

	toldAgain = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "event", Name: "told_again",
		Help: "How many events a cloud announces for which nothing is done, because they ended when it left them out for a while. " +
			"The log has their names. Only the leader has it.", StabilityLevel: metrics.ALPHA,
	}, []string{labelSource})
)

var registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(polls, lastPoll, failures, toldAgain) })

// report tells how the regions have answered.
func (c *Collector) report(ctx context.Context, answer source.Answer) {
	if ctx.Err() != nil {
		return // this process leads no more: that is no fault of the cloud
	}
	for _, region := range answer.RegionNames() {
		polls.WithLabelValues(c.config.Name, region, "failure").Add(0)
		result := "success"
		if err := answer.Regions[region]; err != nil {
			result = "failure"
			klog.FromContext(ctx).Error(err, "A region did not answer for all machines", "region", region)
		} else {
			lastPoll.WithLabelValues(c.config.Name, region).Set(float64(c.config.Clock.Now().Unix()))
		}
		polls.WithLabelValues(c.config.Name, region, result).Inc()
	}
	c.tell(sets.New(answer.RegionNames()...))
}

// reportToldAgain tells which events are told again that ended because they were not told. The log says it once of each.
func (c *Collector) reportToldAgain(ctx context.Context, names sets.Set[string]) {
	for _, name := range sets.List(names.Difference(c.toldAgain)) {
		klog.FromContext(ctx).Info("An event is announced again that ended because it was left out for a while. Nothing is done for it: "+
			"delete it, and it is created anew", "scheduledEvent", name)
	}
	c.toldAgain = names
	toldAgain.WithLabelValues(c.config.Name).Set(float64(names.Len()))
}

// tellNothing takes back what only the leader tells.
func (c *Collector) tellNothing() {
	c.tell(nil)
	toldAgain.Delete(map[string]string{labelSource: c.config.Name})
}

// tell has the gauge tell of these regions alone.
func (c *Collector) tell(regions sets.Set[string]) {
	for region := range c.polled.Difference(regions) {
		lastPoll.Delete(map[string]string{labelSource: c.config.Name, labelRegion: region})
	}
	c.polled = regions
}
