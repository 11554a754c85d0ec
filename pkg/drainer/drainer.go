// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// Drainer takes nodes out of service for the NodeMaintenances that ask for it, and gives them
// back. It has two parts. Every process may watch: it answers what nodes there are and what a drain
// would do. One process leads: it cordons, drains and gives back. Use New.
type Drainer struct {
	config  Config
	watcher *clusterwatch.Watcher
	// beside is what is done beside draining.
	beside []func(ctx context.Context)
	// leading is the work of a process that leads; nil while it does not.
	leading atomic.Pointer[leader]
}

// New returns a Drainer, which does nothing until Run, or Watch and Lead. It fails when the
// configuration lacks something.
func New(config Config) (*Drainer, error) {
	if err := config.complete(); err != nil {
		return nil, fmt.Errorf("could not configure drainer: %w", err)
	}
	registerMetrics()
	watcher, err := clusterwatch.New(clusterwatch.Config{
		Maintenance: config.Maintenance, Kube: config.Kube, Dynamic: config.Dynamic, Clock: config.Clock,
		Server: config.Server, Cordon: nodemarks.CordonTaints(config.Taints),
	})
	if err != nil {
		return nil, fmt.Errorf("could not build drainer: %w", err)
	}
	return &Drainer{config: config, watcher: watcher}, nil
}

// AskFirst adds a gate that is asked before all others. It is for a gate that is made from the Drainer
// itself, and so cannot be in its configuration. It must be called before Run and Lead.
func (d *Drainer) AskFirst(gate Gate) { d.config.Gates = slices.Concat([]Gate{gate}, d.config.Gates) }

// AdmitBy has the drainer ask how far holds may go, for an Admission that is made from the Drainer itself. It must be
// called before Run and Lead.
func (d *Drainer) AdmitBy(admission Admission) { d.config.Admission = admission }

// IgnoreJobs has drains leave the pods of the Jobs alone that are run for a hold, and not count them. To be called before
// the drainer runs.
func (d *Drainer) IgnoreJobs(of func(hold *v1beta1.NodeMaintenance) []types.NamespacedName) {
	d.watcher.Jobs = of
}

// LeadBeside has work be done beside draining whenever this process leads, until its context is done. Draining ends only
// after it has returned. It must be called before Run and Lead.
func (d *Drainer) LeadBeside(work func(ctx context.Context)) { d.beside = append(d.beside, work) }

// Run watches until ctx is done, and leads when Config.Elect says so until leading is done, which may be sooner.
// It returns when everything it started has ended. It is to be called once.
func (d *Drainer) Run(ctx, leading context.Context) {
	logger := klog.FromContext(ctx).WithName("drainer")
	ctx, leading = klog.NewContext(ctx, logger), klog.NewContext(leading, logger)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { d.Watch(ctx) })
	if !d.watcher.Sync(leading) {
		return // leading is done
	}
	d.config.Elect(leading, d.Lead)
}

// Watch keeps the caches up to date until ctx is done: nodes and plans can be asked for, and nothing
// is changed. It is to be called once.
func (d *Drainer) Watch(ctx context.Context) { d.watcher.Run(ctx) }

// Lead drains nodes, beside Watch, until ctx is done, and returns when everything it started has ended.
// It may be called again, and remembers nothing of the time before. It fails when Watch has ended, and when the
// caches are behind the API servers and stay so, or become stale later: another process may know more.
func (d *Drainer) Lead(ctx context.Context) error {
	if !d.watcher.Sync(ctx) {
		return nil // ctx is done
	}
	if err := d.watcher.CatchUp(ctx); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	leading, end := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	defer looking.Wait()
	defer end(nil)
	looking.Go(func() { d.watcher.EndWhenStale(leading, end) })
	l := newLeader(d.config, d.watcher)
	d.leading.Store(l)
	defer d.leading.Store(nil)
	err := l.run(leading, d.beside)
	if ctx.Err() == nil {
		err = errors.Join(err, context.Cause(leading))
	}
	return err
}

// Wake makes the drainer look at the node soon, if this process leads. It never blocks. A lost call
// does no harm, since the drainer watches what it acts on.
func (d *Drainer) Wake(node string) {
	if l := d.leading.Load(); l != nil && node != heartbeatKey {
		l.queue.Add(node)
	}
}

// Ready says why nothing can be decided yet; nil when the caches are synced.
func (d *Drainer) Ready() error { return d.watcher.Ready() }

// Healthy says why the drainer's loop seems to be stuck; nil while it works, and while this process
// does not lead.
func (d *Drainer) Healthy() error {
	if l := d.leading.Load(); l != nil {
		return l.heartbeat.missed(d.config.Clock.Now())
	}
	return nil
}

// HasNode says whether the cluster has a node of that name. While that is not known yet it
// says yes.
func (d *Drainer) HasNode(name string) bool { return d.watcher.HasNode(name) }

// Node returns what is cached of a node: its name, labels, taints, conditions, provider id, boot id and
// whether it is schedulable; nil when there is none. It is not to be changed. It fails while the nodes
// are not known.
func (d *Drainer) Node(name string) (*corev1.Node, error) { return d.watcher.Node(name) }

// Nodes returns what is cached of all nodes, in no order. See Node.
func (d *Drainer) Nodes() ([]*corev1.Node, error) { return d.watcher.Nodes() }

// HoldsOn returns what is cached of the NodeMaintenances that name the node, in no order, with those that cannot be read and
// may be on it. They are not to be changed.
func (d *Drainer) HoldsOn(node string) []*v1beta1.NodeMaintenance {
	return d.watcher.Caches.HoldsOn(node)
}

// WatchNodes calls changed with the name of each node that comes, changes or goes, after Node shows it,
// until stop is called; and once for each node that exists. It fails when Watch has ended.
func (d *Drainer) WatchNodes(changed func(name string)) (stop func(), err error) {
	return d.watcher.WatchNodes(changed)
}

// Plan says what would happen to the pods of the hold's node if the hold existed beside the node's
// other holds, and what becomes of those that leave. It changes nothing. The pods are listed from the API server: as
// they are now if fresh, which may take longer, else as its cache has them. The plan of a node that does not exist is
// empty. It fails while the drainer is not ready, and when the pods cannot be listed.
func (d *Drainer) Plan(ctx context.Context, maintenance *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error) {
	return d.watcher.Plan(ctx, maintenance, d.underWay(maintenance), fresh, true)
}

// Outline is Plan for those who show it to nobody: from the API server's cache, and without what becomes of pods that
// leave, which takes more requests.
func (d *Drainer) Outline(ctx context.Context, maintenance *v1beta1.NodeMaintenance) (*v1beta1.DrainPlanStatus, error) {
	return d.watcher.Plan(ctx, maintenance, d.underWay(maintenance), false, false)
}

func (d *Drainer) underWay(maintenance *v1beta1.NodeMaintenance) clusterwatch.UnderWay {
	if l := d.leading.Load(); l != nil {
		return l.drains.underWay(maintenance.Spec.NodeName)
	}
	return clusterwatch.UnderWay{}
}

// HasTaken says whether the hold has its node out of service: it has recorded what that node was like before, and the marks
// on the node say that this server took it for the hold.
func (d *Drainer) HasTaken(node *corev1.Node, hold *v1beta1.NodeMaintenance) bool {
	return hold.Status.NodeUID == node.UID && hold.Status.NodeBefore != nil &&
		nodemarks.NewMarks(d.config.StoreID, nil).Read(node).TookFor(hold)
}

// HasInMaintenance says whether the node carries the annotation of maintenance by this server, or one that names no
// server, as a person may have left it. Without it, a node that nobody holds is never given back.
func (d *Drainer) HasInMaintenance(node *corev1.Node) bool {
	return nodemarks.Annotated(node) && !nodemarks.NewMarks(d.config.StoreID, nil).Read(node).Anothers
}

// Load is what a drain of a node would take.
type Load = clusterwatch.Load

// Load says what a drain of the node would take. The pods are listed as the cache of the API server has
// them. It fails while the drainer is not ready, and when the pods cannot be listed.
func (d *Drainer) Load(ctx context.Context, node string) (Load, error) {
	return d.watcher.Load(ctx, node)
}

// Room is how many more pods the disruption budget lets go now; 0 if there is no such budget.
func (d *Drainer) Room(budget types.NamespacedName) int {
	return d.watcher.Budgets.Room(budget, d.config.Clock.Now())
}
