// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// DefaultEvictionsInFlight is how many eviction requests may be under way at a time when the
// configuration does not say. More of them did not make a kube-apiserver answer faster.
const DefaultEvictionsInFlight = 64

// Config is what the drain engine is built from.
type Config struct {
	// Maintenance reads NodeMaintenances, and writes their status and finalizers, at this
	// server itself: the loopback client. Required.
	Maintenance versioned.Interface
	// Kube reads and changes nodes, pods and budgets in the cluster. Its rate limits must allow
	// as many requests as the engine is to make: the engine bounds what is in flight, not the
	// rate. Required.
	Kube kubernetes.Interface
	// Evicter evicts and deletes pods. Default: one that posts through Kube.
	Evicter Evicter
	// Recorder writes the events. Default: one that writes them through Kube while Run runs.
	Recorder record.EventRecorder
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
	// StoreID tells this server's store from others. It is written on every node that is
	// cordoned; only nodes that carry it are given back when no hold is left. Required.
	StoreID string
	// Taints are set on a cordoned node besides v1beta1.DrainTaint.
	Taints []corev1.Taint
	// EvictionsInFlight bounds the eviction requests under way at a time, over all nodes.
	// Default: DefaultEvictionsInFlight.
	EvictionsInFlight int
	// OwnPod is the pod that this process runs in: it is never evicted, since nobody would be
	// left to go on. Zero: the process does not run in the cluster.
	OwnPod types.NamespacedName
}

func (c *Config) complete() error {
	var errs []error
	if c.Maintenance == nil {
		errs = append(errs, errors.New("no client for NodeMaintenances"))
	}
	if c.Kube == nil {
		errs = append(errs, errors.New("no client for the cluster"))
	}
	if c.StoreID == "" {
		errs = append(errs, errors.New("no store id"))
	}
	if c.EvictionsInFlight < 0 {
		errs = append(errs, errors.New("the number of evictions in flight is negative"))
	}
	if c.Evicter == nil && c.Kube != nil {
		c.Evicter = apiEvicter{client: c.Kube}
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	if c.EvictionsInFlight == 0 {
		c.EvictionsInFlight = DefaultEvictionsInFlight
	}
	return errors.Join(errs...)
}
