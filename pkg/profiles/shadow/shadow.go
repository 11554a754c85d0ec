// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package shadow knows whether the SAP maintenance-controller still runs. While it does, profiles only say what they would
// do, so that both never act on the same nodes, and so that an admin can compare before switching over.
package shadow

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	coordinationinformers "k8s.io/client-go/informers/coordination/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// LeaseName is the name of the Lease by which replicas of the controller elect their leader.
const LeaseName = "maintenance-controller-leader-election.cloud.sap"

// foreignWriteCounts is how long the controller is taken to run after it has written on a node. It need not have a Lease,
// and writes only when something changes.
const foreignWriteCounts = 15 * time.Minute

// defaultLease is how long a Lease lasts that does not say it.
const defaultLease = 15 * time.Second

// Config is what a Shadow is made from.
type Config struct {
	// Kube watches the Lease. Required.
	Kube kubernetes.Interface
	// Namespace is where the Lease is: the namespace of the controller. Required.
	Namespace string
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
}

// Shadow knows whether the controller runs. Use New. Many may ask it at the same time.
type Shadow struct {
	config Config
	leases cache.SharedIndexInformer

	mu sync.Mutex
	// heard says whether the Lease that was there at first has come to leaseChanged; nil before Run.
	heard cache.InformerSynced
	// renewed is what the Lease says of its last renewal, and seen when this process saw that first: clocks of machines
	// differ.
	renewed string
	seen    time.Time
	lasts   time.Duration
	holder  string
	// written are the nodes on which a program has written.
	written map[string]written
	// told is what those were told last who follow.
	told    string
	changed []func()
}

// written is the time when a program wrote on a node last, and what that tells.
type written struct {
	at  time.Time
	why string
}

// New returns a Shadow that is active until Run knows better.
func New(config Config) *Shadow {
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	return &Shadow{config: config, told: notKnown, written: map[string]written{}, leases: coordinationinformers.NewFilteredLeaseInformer(config.Kube, config.Namespace, 0, cache.Indexers{},
		func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("metadata.name", LeaseName).String()
		})}
}

const notKnown = "it is not known yet whether the SAP maintenance-controller runs"

// Why says why profiles must not act on a node; empty: they may. Without a name, it says why they must not act on any.
func (s *Shadow) Why(node string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Clock.Now()
	why, _ := s.everywhere(now)
	if on, found := s.written[node]; why == "" && found && now.Sub(on.at) < foreignWriteCounts {
		return on.why
	}
	return why
}

// everywhere says why the shadow is on all nodes, and when to look again.
func (s *Shadow) everywhere(now time.Time) (why string, again time.Duration) {
	if s.heard == nil || !s.heard() {
		return notKnown, 0
	}
	if left := s.seen.Add(s.lasts).Sub(now); s.holder != "" && left > 0 {
		return fmt.Sprintf("the SAP maintenance-controller runs: %s has the Lease %s/%s", s.holder, s.config.Namespace, LeaseName), left
	}
	return "", 0
}

// Written takes notice that a program has written on a node, at that time, what only the controller writes. It counts for
// 15 minutes, and for that node alone: whoever may write on a node, as its kubelet may, stops no other.
func (s *Shadow) Written(node, manager string, at time.Time) {
	s.mu.Lock()
	if at.After(s.written[node].at) {
		s.written[node] = written{at: at, why: fmt.Sprintf("the SAP maintenance-controller seems to run: %s has written its state on node %s", manager, node)}
	}
	s.mu.Unlock()
	s.look()
}

// Follow has changed called after each change of what Active says.
func (s *Shadow) Follow(changed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, changed)
}

// look tells those who follow of a change, and returns when to look again; zero: after a change.
func (s *Shadow) look() time.Duration {
	s.mu.Lock()
	now := s.config.Clock.Now()
	says, again := s.everywhere(now)
	for _, node := range slices.Sorted(maps.Keys(s.written)) {
		left := s.written[node].at.Add(foreignWriteCounts).Sub(now)
		if left <= 0 {
			delete(s.written, node)
			continue
		}
		says += "\n" + node
		if again == 0 || left < again {
			again = left
		}
	}
	differs := says != s.told
	s.told = says
	followers := slices.Clone(s.changed)
	s.mu.Unlock()
	if differs {
		for _, changed := range followers {
			changed()
		}
	}
	return again
}
