// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

var (
	errNodesUnknown = errors.New("the nodes of the cluster are not known yet")
	errHoldsUnknown = errors.New("the NodeMaintenances are not known yet")
)

// watcherConfig is what a watcher is made from.
type watcherConfig struct {
	// Maintenance reads NodeMaintenances at this server itself, Kube everything in the cluster but virtual machines, and
	// Dynamic these; nil: nothing is known of them.
	Maintenance versioned.Interface
	Kube        kubernetes.Interface
	Dynamic     dynamic.Interface
	Clock       clock.WithTicker
	// Server says which pods run this server.
	Server replicas.Server
	// Cordon are the taints of a cordoned node that keep pods away.
	Cordon []corev1.Taint
}

// watcher knows the cluster and plans drains. It changes nothing, so that every process may have one.
type watcher struct {
	config   watcherConfig
	caches   *caches
	budgets  *eviction.Budgets
	selector podSelector
	live     live
	replicas replicas.Reader
	// machines reads the virtual machines for plans that are only shown.
	machines *virtualmachine.Reader
	// jobs says which Jobs are run for a hold.
	jobs func(hold *v1beta1.NodeMaintenance) []types.NamespacedName
}

func newWatcher(config watcherConfig) (*watcher, error) {
	caches, err := newCaches(config)
	if err != nil {
		return nil, err
	}
	w := &watcher{
		config: config, caches: caches, budgets: eviction.NewBudgets(),
		selector: podSelector{client: config.Kube, daemonSets: caches.daemonSetLister()},
		live:     live{kube: config.Kube, maintenance: config.Maintenance},
		replicas: replicas.Reader{Kube: config.Kube, Server: config.Server},
		machines: virtualmachine.NewReader(config.Dynamic, config.Clock),
		jobs:     func(*v1beta1.NodeMaintenance) []types.NamespacedName { return nil },
	}
	return w, caches.handle("poddisruptionbudgets", caches.budgets, cache.ResourceEventHandlerFuncs{
		AddFunc:    w.budgetChanged,
		UpdateFunc: func(_, updated any) { w.budgetChanged(updated) },
		DeleteFunc: w.budgetDeleted,
	})
}

// run keeps the caches up to date until ctx is done.
func (w *watcher) run(ctx context.Context) {
	var running sync.WaitGroup
	w.caches.run(ctx, &running)
	running.Wait()
}

// sync waits until everything is known for the first time; it says no if ctx is done before.
func (w *watcher) sync(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), w.caches.syncedFuncs()...)
}

func (w *watcher) budgetChanged(obj any) {
	if pdb, known := object[*policyv1.PodDisruptionBudget](obj); known {
		w.budgets.Set(pdb, w.config.Clock.Now())
	}
}

func (w *watcher) budgetDeleted(obj any) {
	if pdb, known := object[*policyv1.PodDisruptionBudget](obj); known {
		w.budgets.Remove(types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name})
	}
}

func (w *watcher) ready() error {
	if err := w.caches.notSynced(); err != nil {
		return fmt.Errorf("drainer is not ready: %w", err)
	}
	return nil
}

func (w *watcher) hasNode(name string) bool {
	return !w.caches.nodes.HasSynced() || w.caches.node(name) != nil
}

func (w *watcher) node(name string) (*corev1.Node, error) {
	if !w.caches.nodes.HasSynced() {
		return nil, errNodesUnknown
	}
	return w.caches.node(name), nil
}

func (w *watcher) nodes() ([]*corev1.Node, error) {
	if !w.caches.nodes.HasSynced() {
		return nil, errNodesUnknown
	}
	listed := w.caches.nodes.GetStore().List()
	nodes := make([]*corev1.Node, 0, len(listed))
	for _, object := range listed {
		if node, isNode := object.(*corev1.Node); isNode {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

func (w *watcher) watchNodes(changed func(name string)) (stop func(), err error) {
	tell := func(obj any) {
		if node, known := object[*corev1.Node](obj); known {
			changed(node.Name)
		}
	}
	_, stop, err = follow(w.caches.nodes, cache.ResourceEventHandlerFuncs{
		AddFunc: tell, UpdateFunc: func(_, updated any) { tell(updated) }, DeleteFunc: tell,
	})
	return stop, err
}

// underWay is what the process that leads knows of the drain of one node; empty if there is none.
type underWay struct {
	// attempts are the evictions that were posted so far.
	attempts map[types.UID]eviction.Attempt
	// returns are the pods that came back.
	returns returns.Pods
	// leaving are the replicas of this server that are about to leave their nodes.
	leaving sets.Set[types.UID]
	// machines are the virtual machines that are to leave nodes; nil if this process does not lead.
	machines *virtualmachine.Watch
}

// plan returns the plan for the hold's node as if the hold existed, with predict also what becomes of pods that leave.
func (w *watcher) plan(
	ctx context.Context, maintenance *v1beta1.NodeMaintenance, known underWay, fresh, predict bool,
) (*v1beta1.DrainPlanStatus, error) {
	if err := w.ready(); err != nil {
		return nil, err
	}
	node := w.caches.node(maintenance.Spec.NodeName)
	if node == nil {
		return &v1beta1.DrainPlanStatus{}, nil
	}
	pods, drainable, err := w.listPods(ctx, node.Name, fresh)
	if err != nil {
		return nil, fmt.Errorf("could not plan the drain of node %s: %w", node.Name, err)
	}
	sortPods(pods)
	asked := *maintenance
	asked.Status.Admission = nil // the plan tells what is to happen once it is admitted
	holds := append(slices.DeleteFunc(w.caches.holdsOn(node.Name), func(other *v1beta1.NodeMaintenance) bool {
		return other.Name == maintenance.Name
	}), &asked)
	active, _ := split(w.holds(holds))
	in := w.planInput(node, active, pods, drainable, known.attempts)
	in.Returns, in.Replicas = known.returns, w.replicas.Facts(ctx, pods, known.leaving)
	in.Machines, in.Forecast = w.machineStates(ctx, node.Name, pods, known.machines, failuresSince(active, in.Now)), true
	planned := plan.Make(in)
	var predicted plan.Predictions
	if predict {
		moving := planned.Recreated(maintenance.UID)
		predicted = plan.Predict(moving, node.Name, w.otherNodes(node.Name), in.Cordon, w.volumes(ctx, moving))
	}
	report := planned.Report(maintenance.UID, predicted)
	all, skipped := planned.Selection(maintenance.UID)
	report.DrainablePods, report.SkippedPods = int32(all), int32(skipped)
	return report, nil
}

// machineStates says what becomes of the virtual machines of the pods: from the watch of a drain if there
// is one, and else from a read.
func (w *watcher) machineStates(
	ctx context.Context, node string, pods []*corev1.Pod, watch *virtualmachine.Watch, since time.Time,
) virtualmachine.States {
	if watch != nil {
		if states := watch.States(node, pods, since); states != nil {
			return states
		}
	}
	return w.machines.States(ctx, node, pods, since)
}

// otherNodes are the nodes of the cluster but that one, as far as they are known.
func (w *watcher) otherNodes(name string) []*corev1.Node {
	nodes, _ := w.nodes()
	return slices.DeleteFunc(nodes, func(node *corev1.Node) bool { return node.Name == name })
}

// holds returns the holds of the NodeMaintenances, with nothing but what is stored.
func (w *watcher) holds(maintenances []*v1beta1.NodeMaintenance) []hold {
	holds := make([]hold, 0, len(maintenances))
	for _, m := range maintenances {
		h := newHold(m, nil, w.config.Clock.Now())
		h.Jobs = w.jobs(m)
		holds = append(holds, h)
	}
	return holds
}

// listPods asks the API server for the pods of the node, as they are now if fresh and else as its
// cache has them, and says which of them a drain evicts.
func (w *watcher) listPods(ctx context.Context, node string, fresh bool) ([]*corev1.Pod, sets.Set[types.UID], error) {
	pods, err := w.live.podsOn(ctx, node, fresh)
	if err != nil {
		return nil, nil, err
	}
	drainable, err := w.selector.drainable(ctx, node, pods)
	return pods, drainable, err
}

// planInput is what a plan for the node is made from.
func (w *watcher) planInput(node *corev1.Node, holds []hold, pods []*corev1.Pod, drainable sets.Set[types.UID], attempts map[types.UID]eviction.Attempt) plan.Input {
	now := w.config.Clock.Now()
	in := plan.Input{
		Node: node.Name, NodeDead: nodeDead(node), NodeReadySince: readyTime(node), Pods: pods, Drainable: drainable, Namespaces: w.caches.labelsOf(pods),
		Budgets: w.budgets.Snapshot(pods, now), Attempts: attempts, Cordon: w.config.Cordon, Now: now,
	}
	for _, h := range holds {
		in.Holds = append(in.Holds, h.Hold)
	}
	return in
}

// nodeDead says whether the node's kubelet does not report, or reports that it cannot run pods.
func nodeDead(node *corev1.Node) bool {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return ready == nil || ready.Status != corev1.ConditionTrue
}

// readyTime is since when the node is ready, or is not; zero if that is not known.
func readyTime(node *corev1.Node) time.Time {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	if ready == nil {
		return time.Time{}
	}
	return ready.LastTransitionTime.Time
}
