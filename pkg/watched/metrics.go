// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package watched

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	lastTold = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "cache", Name: "last_told_timestamp_seconds",
		Help: "When an API server has told a cache something last, as a Unix time: a list, that a watch begins, a change, " +
			"or that there is nothing new. What the cache shows may be older by the time since then.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"by", "resource"})

	unreadableObjects = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Namespace: "maintenance", Subsystem: "store", Name: "unreadable_objects",
		Help:           "Stored objects that the server cannot read, and for which it does nothing.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"resource"})
)

var registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(lastTold, unreadableObjects) })
