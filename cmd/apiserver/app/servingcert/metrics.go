// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

const (
	metricsNamespace = "maintenance"
	metricsSubsystem = "serving"
)

var (
	certificateEnd = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "certificate_expiration_timestamp_seconds",
		Help:           "When this server's own serving certificate ends, in seconds since 1970.",
		StabilityLevel: metrics.ALPHA,
	})

	authorityEnd = metrics.NewGauge(&metrics.GaugeOpts{
		Namespace: metricsNamespace, Subsystem: metricsSubsystem, Name: "ca_expiration_timestamp_seconds",
		Help:           "When the CA that signed this server's own serving certificate ends, in seconds since 1970.",
		StabilityLevel: metrics.ALPHA,
	})
)

var registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(certificateEnd, authorityEnd) })

func measure(p *pair) {
	certificateEnd.Set(float64(p.leaf.NotAfter.Unix()))
	authorityEnd.Set(float64(p.ca.NotAfter.Unix()))
}
