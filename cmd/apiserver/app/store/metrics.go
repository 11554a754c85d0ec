// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

const (
	metricsNamespace = "maintenance"
	metricsSubsystem = "store"
)

var (
	usedBytes = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "used_bytes",
		Help:           "Space of the store that is in use; 0 where that is not known.",
		StabilityLevel: metrics.ALPHA,
	})

	quotaBytes = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "quota_bytes",
		Help:           "Space that the store may use; 0 where that is not known.",
		StabilityLevel: metrics.ALPHA,
	})
)

var registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(usedBytes, quotaBytes) })

func countUsage(u *usage) {
	if u == nil {
		u = &usage{}
	}
	usedBytes.Set(float64(u.used))
	quotaBytes.Set(float64(max(u.quota, 0)))
}
