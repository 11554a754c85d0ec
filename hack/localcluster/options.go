// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// The default delays of the simulated kubelets.
const (
	DefaultReadyDelay       = time.Second
	DefaultTerminationDelay = time.Second
	DefaultNodeLease        = 20 * time.Second
)

// Options says which cluster to start. The zero value is a control plane without nodes in a
// temporary directory.
type Options struct {
	// Dir is the cluster's directory. Default: a temporary one that Stop removes.
	Dir string
	// BinDir is the directory of the binaries. Default: bin in the repository.
	BinDir string
	// Nodes is how many nodes there are at least: node-1 to node-N.
	Nodes int
	// Zones is how many zones the nodes are spread over. Default: 1.
	Zones int
	// ReadyDelay is how long after it was bound to a node a pod becomes Ready. Default: 1 s; for no
	// delay, use a millisecond. A pod overrides it with ReadyDelayAnnotation.
	ReadyDelay time.Duration
	// TerminationDelay is how long after its deletion a pod is gone, at most its
	// grace period. Default: 1 s; a pod overrides it with TerminationDelayAnnotation.
	TerminationDelay time.Duration
	// NodeLease is how long a node's lease lasts, in whole seconds. The simulated kubelets
	// renew it every quarter of that, and a node whose lease was not renewed for five
	// quarters becomes unreachable. Default: 20 s.
	NodeLease time.Duration
	// Durable makes the control plane's etcd wait for the disk, as in a real cluster.
	// Default: it does not wait, which is faster.
	Durable bool
	// PackPods has the scheduler fill a node before it uses the next one, as far as pods ask for CPU. Default: it spreads
	// pods, as Kubernetes does by default.
	PackPods bool
	// Detached lets the cluster outlive the calling process. Otherwise the kernel
	// ends the cluster's processes with it.
	Detached bool
	// Log receives lines about progress. Default: none.
	Log io.Writer

	root      string
	temporary bool
}

func (o Options) complete() (Options, error) {
	root, err := binaries.Root()
	if err != nil {
		return o, err
	}
	o.root = root
	if o.BinDir == "" {
		o.BinDir = filepath.Join(root, "bin")
	}
	if o.Zones < 1 {
		o.Zones = 1
	}
	if o.ReadyDelay == 0 {
		o.ReadyDelay = DefaultReadyDelay
	}
	if o.TerminationDelay == 0 {
		o.TerminationDelay = DefaultTerminationDelay
	}
	if o.NodeLease == 0 {
		o.NodeLease = DefaultNodeLease
	}
	if o.NodeLease < time.Second || o.NodeLease%time.Second != 0 {
		return o, fmt.Errorf("a node's lease must last whole seconds, at least one: %s", o.NodeLease)
	}
	if o.ReadyDelay < 0 || o.TerminationDelay < 0 {
		return o, fmt.Errorf("delays must not be negative: ready %s, termination %s", o.ReadyDelay, o.TerminationDelay)
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	return o.completeDir()
}

func (o Options) completeDir() (Options, error) {
	var err error
	if o.Dir == "" {
		o.temporary = true
		if o.Dir, err = os.MkdirTemp("", "localcluster-"); err != nil {
			return o, fmt.Errorf("could not make directory for cluster: %w", err)
		}
		return o, nil
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return o, fmt.Errorf("could not resolve directory of cluster: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return o, fmt.Errorf("could not make directory for cluster: %w", err)
	}
	return o, nil
}
