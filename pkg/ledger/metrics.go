// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var writes = metrics.NewCounter(&metrics.CounterOpts{
	Namespace: "maintenance", Subsystem: "ledger", Name: "writes_total",
	Help:           "Writes of the ledger.",
	StabilityLevel: metrics.ALPHA,
})

var registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(writes) })
