// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"errors"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

// Config is what an Admitter is made from.
type Config struct {
	// Cluster knows nodes and NodeMaintenances, from memory. A drainer.Drainer does. Required.
	Cluster Cluster
	// Maintenance reads and writes policies and the ledger at this server itself: the loopback client. Required.
	Maintenance versioned.Interface
	// Kube reads nodes past the caches, and writes events. Required.
	Kube kubernetes.Interface
	// Recorder writes the events. Default: one that writes them through Kube while Run runs.
	Recorder record.EventRecorder
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
	// Decide decides. Default: decision.Decide, with a memory.
	Decide func(decision.Facts) decision.Outcome
	// Epoch is shared with others in this process that write the ledger. Default: nobody else does.
	Epoch *ledger.Epoch
	// Loads knows the pods of nodes that wait, to order the queue. Default: nothing is known of them.
	Loads PodLoads
}

// Cluster is what an Admitter knows of the cluster. A drainer.Drainer is one. What it returns is not to be changed.
type Cluster interface {
	// Node returns the node of that name; nil when there is none. It fails while the nodes are not known.
	Node(name string) (*corev1.Node, error)
	// Nodes returns all nodes. It fails while they are not known.
	Nodes() ([]*corev1.Node, error)
	// HoldsOn returns the NodeMaintenances that name the node.
	HoldsOn(node string) []*v1beta1.NodeMaintenance
	// Holds returns all NodeMaintenances. It fails while they are not known.
	Holds() ([]*v1beta1.NodeMaintenance, error)
	// HasInMaintenance says whether the node carries the mark of maintenance by this server. Others may use the same
	// taint.
	HasInMaintenance(node *corev1.Node) bool
	// HasTaken says whether the hold has the node out of service by this server: the hold has recorded what the node was
	// like before, and the marks on the node are for it.
	HasTaken(node *corev1.Node, hold *v1beta1.NodeMaintenance) bool
	// FollowNodes calls changed for each change of a node, until stop is called. Before is nil for a new node, after
	// for one that is gone.
	FollowNodes(changed func(before, after *corev1.Node)) (stop func(), err error)
	// FollowHolds calls changed for each change of a NodeMaintenance, as FollowNodes does.
	FollowHolds(changed func(before, after *v1beta1.NodeMaintenance)) (stop func(), err error)
}

// Admitter decides which NodeMaintenances may start, while its process leads, and keeps the ledger. It is asked by the
// drainer as Admission and as Gate. Beside that, each process's Admitter explains what holds wait for: see Facts. Use
// New.
type Admitter struct {
	config   Config
	policies cache.SharedIndexInformer
	checker  Checker
	// explained is the ledger as explanations know it.
	explained *sharedLedger
	// leading is the present term; nil while this process does not lead.
	leading atomic.Pointer[term]
}

var (
	_ drainer.Admission  = (*Admitter)(nil)
	_ drainer.MemoryGate = (*Admitter)(nil)
)

// New returns an Admitter that knows nothing until Watch, and decides nothing until Run. It fails when the configuration
// lacks something.
func New(config Config) (*Admitter, error) {
	if config.Cluster == nil || config.Maintenance == nil || config.Kube == nil {
		return nil, errors.New("could not configure the admitter: it needs a cluster and clients")
	}
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	if config.Decide == nil {
		config.Decide = new(decision.Decider).Decide
	}
	if config.Epoch == nil {
		config.Epoch = &ledger.Epoch{}
	}
	registerMetrics()
	return &Admitter{
		config: config,
		policies: watched.New(
			watched.Config{By: "policies", Resource: "maintenancepolicies", Clients: config.Maintenance, Kind: "MaintenancePolicy", Clock: config.Clock},
			config.Maintenance.MaintenanceV1beta1().MaintenancePolicies(), &v1beta1.MaintenancePolicy{}),
		explained: &sharedLedger{client: config.Maintenance.MaintenanceV1beta1().MaintenanceLedgers(), clock: config.Clock},
	}, nil
}

// CheckWith has the start gates of policies checked. It must be called before Run. Until then, they do not pass.
func (a *Admitter) CheckWith(checker Checker) { a.checker = checker }

// Wake has the admitter decide soon, if this process leads. It never blocks.
func (a *Admitter) Wake() {
	if t := a.leading.Load(); t != nil {
		t.kick()
	}
}
