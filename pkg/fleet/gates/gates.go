// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Cluster is what Gates know of the cluster. A drainer.Drainer is one. What it returns is not to be changed.
type Cluster interface {
	// Node returns the node of that name; nil when there is none. It fails while the nodes are not known.
	Node(name string) (*corev1.Node, error)
	// Holds returns all NodeMaintenances. It fails while they are not known.
	Holds() ([]*v1beta1.NodeMaintenance, error)
	// HoldsOn returns the NodeMaintenances that name the node.
	HoldsOn(node string) []*v1beta1.NodeMaintenance
	// Outline says what would happen to the pods of the hold's node.
	Outline(ctx context.Context, hold *v1beta1.NodeMaintenance) (*v1beta1.DrainPlanStatus, error)
}

// Admitter is what Gates know of policies and of the ledger. An admitter.Admitter is one. What it returns is not to be
// changed.
type Admitter interface {
	// Policies returns all policies.
	Policies() []*v1beta1.MaintenancePolicy
	// WithoutPolicies says whether it is known that there are none.
	WithoutPolicies() bool
	// Entry returns what the ledger says of the node; nil: nothing. It is not known while this process does not lead,
	// and until it has decided for the first time.
	Entry(node string) (entry *v1beta1.LedgerEntry, known bool)
	// KeepsBack notes whether release gates keep the node, for the ledger. It never blocks.
	KeepsBack(node string, keeps bool)
	// Wake is called when an answer of Answers changes. It never blocks.
	Wake()
}

// Querier asks Prometheus. A promquery.Client is one.
type Querier interface {
	// Passes says whether the query has a result now, and if not, why. It answers within 5 seconds.
	Passes(ctx context.Context, query string) (passes bool, why string)
	// Rest closes connections that nothing uses.
	Rest()
}

// Config is what Gates are made from.
type Config struct {
	// Cluster knows nodes and NodeMaintenances. Required.
	Cluster Cluster
	// Admitter knows policies and the ledger. Required.
	Admitter Admitter
	// Kube lists DaemonSets, and pods of nodes. Required.
	Kube kubernetes.Interface
	// Prometheus answers queries. Default: none, and gates that ask it do not pass.
	Prometheus Querier
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
}

// Gates check the gates of policies, while this process leads. They are asked by the admitter as Checker, and by the
// drainer as Keeper. Use New.
type Gates struct {
	config Config
	asker  *asker
	start  start
	sets   daemonSets

	// mu guards what follows.
	mu sync.Mutex
	// kept are the nodes that release gates keep, by name.
	kept map[string]keeping
	// wake has the drainer look at a node; nil while Run does not run.
	wake func(node string)
}

// New returns Gates that know nothing until Run. It fails when the configuration lacks something.
func New(config Config) (*Gates, error) {
	if config.Cluster == nil || config.Admitter == nil || config.Kube == nil {
		return nil, errors.New("could not configure gates: they need a cluster, an admitter and a client")
	}
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	g := &Gates{config: config, start: newStart(), kept: map[string]keeping{}}
	g.asker = newAsker(config.Clock, g.find, g.answered)
	return g, nil
}

// Run implements drainer.Gate: it looks for answers until ctx is done. While nobody wants any, it only waits.
func (g *Gates) Run(ctx context.Context, wake func(node string)) {
	g.begin(wake)
	var running sync.WaitGroup
	running.Go(func() { g.asker.run(ctx) })
	running.Go(func() { g.lookAgain(ctx) })
	running.Wait()
	g.end()
}

func (g *Gates) begin(wake func(node string)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wake = wake
}

// end forgets everything, so that the next term begins anew.
func (g *Gates) end() {
	g.start.want(nil)
	if g.config.Prometheus != nil {
		g.config.Prometheus.Rest()
	}
	g.sets.forget()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wake = nil
	clear(g.kept)
}

// answered lets those know for whom an answer has changed. Start gates are looked at each time: an answer that is the
// same as before may be missing there, since it was too old.
func (g *Gates) answered(changedFor []asking) {
	g.reconsider()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, by := range changedFor {
		if by.node != "" && g.wake != nil {
			g.wake(by.node)
		}
	}
}
