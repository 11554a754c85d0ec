// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/gauges"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

var (
	tries = gauges.NewCounter(&metrics.CounterOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "notifications_total",
		Help: "Tries to send a notification to an endpoint, by what came of it: Sent, Failed or Unknown, or Again if it is " +
			"tried again.", StabilityLevel: metrics.ALPHA,
	}, "endpoint", "result")

	sending = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "notifications_sending",
		Help: "Notifications that are being sent to an endpoint.", StabilityLevel: metrics.ALPHA,
	}, []string{"endpoint"})

	delay = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Namespace: "maintenance", Subsystem: "profile", Name: "notification_delay_seconds",
		Help:    "How long after it was made a notification was sent to an endpoint.",
		Buckets: metrics.ExponentialBuckets(1, 4, 7), StabilityLevel: metrics.ALPHA,
	}, []string{"endpoint"})
)

var registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(tries, sending, delay) })

// KeepCounters has the counters of these endpoints there, and drops those of others.
func KeepCounters(endpoints []string) {
	registerMetrics()
	var series [][]string
	for _, endpoint := range endpoints {
		for _, result := range []string{string(v1beta1.NotificationSent), string(v1beta1.NotificationFailed), string(v1beta1.NotificationUnknown), again} {
			series = append(series, []string{endpoint, result})
		}
	}
	tries.Keep(series...)
}

// again is the result of a try that is made again.
const again = "Again"

// count counts what came of a try, as it was recorded.
func count(stored *v1beta1.NodeProfile, id string) {
	if stored == nil {
		return // it is gone
	}
	n := byID(stored, id)
	switch {
	case n == nil:
	case outbox.Unsent(n):
		tries.WithLabelValues(n.Target.Endpoint, again).Inc()
	default:
		tries.WithLabelValues(n.Target.Endpoint, string(n.State)).Inc()
	}
	if n != nil && n.SentTime != nil {
		delay.WithLabelValues(n.Target.Endpoint).Observe(n.SentTime.Sub(n.Time.Time).Seconds())
	}
}
