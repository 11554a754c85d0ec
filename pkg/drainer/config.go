// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// DefaultEvictionsInFlight is how many eviction requests may be under way at the same time if the
// configuration does not set it. More of them did not make the API server answer faster.
const DefaultEvictionsInFlight = 64

// Config is what a Drainer is made from.
type Config struct {
	// Maintenance reads NodeMaintenances, and writes their status and finalizers, at this
	// server itself: the loopback client. Required.
	Maintenance versioned.Interface
	// Kube reads and changes nodes, pods and budgets in the cluster. Its rate limits must allow as many
	// requests as the drainer is to make: the drainer bounds how many are under way, not their rate.
	// Required.
	Kube kubernetes.Interface
	// Dynamic reads KubeVirt's virtual machines and migrations, while a drain or a plan has any. It need
	// not have the permission to. Default: nothing is read, and nothing is known of virtual machines.
	Dynamic dynamic.Interface
	// Recorder writes the events. Default: one that writes them through Kube while Run runs.
	Recorder record.EventRecorder
	// OperatorEvents also writes the events that the node-maintenance operators write, in their words, for
	// scripts and alerts that were made for them.
	OperatorEvents bool
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
	// Evictions makes the requests that evict and delete pods. Default: one that makes them through
	// Kube.
	Evictions eviction.Client
	// Elect calls lead whenever this process is to lead, until ctx is done. It waits for each call to return, after
	// it has ended the context of the call. Default: the process leads all the time.
	Elect func(ctx context.Context, lead func(context.Context) error)
	// HandedOver says whether the process that led before this one has given up the lead in order. Default: that is not
	// known.
	HandedOver func() bool
	// Gates decide when a node may be taken out of service. All must agree; they are asked in this
	// order. Default: none, so that nothing waits.
	Gates []Gate
	// Admission says how far holds may go now, before the gates are asked. Default: nil, so that every hold
	// may go as far as it asks for.
	Admission Admission
	// Server says which pods run this server. They go last of a node, each only while another is ready.
	// Zero: the process does not run in the cluster.
	Server replicas.Server
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
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	if c.Elect == nil {
		c.Elect = leadAlways
	}
	if c.HandedOver == nil {
		c.HandedOver = func() bool { return false }
	}
	if c.Evictions == nil && c.Kube != nil {
		c.Evictions = eviction.NewClient(c.Kube)
	}
	if c.EvictionsInFlight == 0 {
		c.EvictionsInFlight = DefaultEvictionsInFlight
	}
	return errors.Join(errs...)
}
