// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

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
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

var (
	errNodesUnknown = errors.New("the nodes of the cluster are not known yet")
	// ErrHoldsUnknown is returned until the holds were listed once.
	ErrHoldsUnknown = errors.New("the NodeMaintenances are not known yet")
)

// Config is what a watcher is made from.
type Config struct {
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

// Watcher knows the cluster and plans drains. It changes nothing, so that every process may have one.
type Watcher struct {
	config   Config
	Caches   *caches
	Budgets  *eviction.Budgets
	Selector PodSelector
	Live     live
	Replicas replicas.Reader
	// machines reads the virtual machines for plans that are only shown.
	machines *virtualmachine.Reader
	// Jobs says which Jobs are run for a hold.
	Jobs func(hold *v1beta1.NodeMaintenance) []types.NamespacedName
}

// New returns a Watcher, which knows nothing until Run.
func New(config Config) (*Watcher, error) {
	caches, err := newCaches(config)
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		config: config, Caches: caches, Budgets: eviction.NewBudgets(),
		Selector: PodSelector{client: config.Kube, DaemonSets: caches.daemonSetLister()},
		Live:     live{kube: config.Kube, maintenance: config.Maintenance},
		Replicas: replicas.Reader{Kube: config.Kube, Server: config.Server},
		machines: virtualmachine.NewReader(config.Dynamic, config.Clock),
		Jobs:     func(*v1beta1.NodeMaintenance) []types.NamespacedName { return nil },
	}
	return w, caches.handle("poddisruptionbudgets", caches.budgets, cache.ResourceEventHandlerFuncs{
		AddFunc:    w.budgetChanged,
		UpdateFunc: func(_, updated any) { w.budgetChanged(updated) },
		DeleteFunc: w.budgetDeleted,
	})
}

// Run keeps the caches up to date until ctx is done.
func (w *Watcher) Run(ctx context.Context) {
	var running sync.WaitGroup
	w.Caches.Run(ctx, &running)
	running.Wait()
}

// Sync waits until everything is known for the first time; it says no if ctx is done before.
func (w *Watcher) Sync(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), w.Caches.syncedFuncs()...)
}

func (w *Watcher) budgetChanged(obj any) {
	if pdb, known := Object[*policyv1.PodDisruptionBudget](obj); known {
		w.Budgets.Set(pdb, w.config.Clock.Now())
	}
}

func (w *Watcher) budgetDeleted(obj any) {
	if pdb, known := Object[*policyv1.PodDisruptionBudget](obj); known {
		w.Budgets.Remove(types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name})
	}
}

// Ready says why nothing can be decided yet; nil when the caches are synced.
func (w *Watcher) Ready() error {
	if err := w.Caches.notSynced(); err != nil {
		return fmt.Errorf("drainer is not ready: %w", err)
	}
	return nil
}

// HasNode says whether there is a node of that name, and yes while that is not known.
func (w *Watcher) HasNode(name string) bool {
	return !w.Caches.Nodes.HasSynced() || w.Caches.Node(name) != nil
}

// Node returns the cached node; nil: there is none.
func (w *Watcher) Node(name string) (*corev1.Node, error) {
	if !w.Caches.Nodes.HasSynced() {
		return nil, errNodesUnknown
	}
	return w.Caches.Node(name), nil
}

// Nodes returns all cached nodes.
func (w *Watcher) Nodes() ([]*corev1.Node, error) {
	if !w.Caches.Nodes.HasSynced() {
		return nil, errNodesUnknown
	}
	listed := w.Caches.Nodes.GetStore().List()
	nodes := make([]*corev1.Node, 0, len(listed))
	for _, object := range listed {
		if node, isNode := object.(*corev1.Node); isNode {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// WatchNodes calls changed for each node that comes, changes or goes, until stop is called.
func (w *Watcher) WatchNodes(changed func(name string)) (stop func(), err error) {
	tell := func(obj any) {
		if node, known := Object[*corev1.Node](obj); known {
			changed(node.Name)
		}
	}
	_, stop, err = Follow(w.Caches.Nodes, cache.ResourceEventHandlerFuncs{
		AddFunc: tell, UpdateFunc: func(_, updated any) { tell(updated) }, DeleteFunc: tell,
	})
	return stop, err
}

// UnderWay is what the process that leads knows of the drain of one node; empty if there is none.
type UnderWay struct {
	// Attempts are the evictions that were posted so far.
	Attempts map[types.UID]eviction.Attempt
	// Returns are the pods that came back.
	Returns returns.Pods
	// Leaving are the replicas of this server that are about to leave their nodes.
	Leaving sets.Set[types.UID]
	// Machines are the virtual machines that are to leave nodes; nil if this process does not lead.
	Machines *virtualmachine.Watch
}

// Plan returns the plan for the hold's node as if the hold existed, with predict also what becomes of pods that leave.
func (w *Watcher) Plan(
	ctx context.Context, maintenance *v1beta1.NodeMaintenance, known UnderWay, fresh, predict bool,
) (*v1beta1.DrainPlanStatus, error) {
	if err := w.Ready(); err != nil {
		return nil, err
	}
	node := w.Caches.Node(maintenance.Spec.NodeName)
	if node == nil {
		return &v1beta1.DrainPlanStatus{}, nil
	}
	pods, drainable, err := w.ListPods(ctx, node.Name, fresh)
	if err != nil {
		return nil, fmt.Errorf("could not plan the drain of node %s: %w", node.Name, err)
	}
	sortPods(pods)
	asked := *maintenance
	asked.Status.Admission = nil // the plan tells what is to happen once it is admitted
	holds := append(slices.DeleteFunc(w.Caches.HoldsOn(node.Name), func(other *v1beta1.NodeMaintenance) bool {
		return other.Name == maintenance.Name
	}), &asked)
	active, _ := holdstatus.Split(w.holds(holds))
	in := w.PlanInput(node, active, pods, drainable, known.Attempts)
	in.Returns, in.Replicas = known.Returns, w.Replicas.Facts(ctx, pods, known.Leaving)
	in.Machines, in.Forecast = w.machineStates(ctx, node.Name, pods, known.Machines, holdstatus.FailuresSince(active, in.Now)), true
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
func (w *Watcher) machineStates(
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
func (w *Watcher) otherNodes(name string) []*corev1.Node {
	nodes, _ := w.Nodes()
	return slices.DeleteFunc(nodes, func(node *corev1.Node) bool { return node.Name == name })
}

// holds returns the holds of the NodeMaintenances, with nothing but what is stored.
func (w *Watcher) holds(maintenances []*v1beta1.NodeMaintenance) []holdstatus.Hold {
	holds := make([]holdstatus.Hold, 0, len(maintenances))
	for _, m := range maintenances {
		h := holdstatus.NewHold(m, nil, w.config.Clock.Now())
		h.Jobs = w.Jobs(m)
		holds = append(holds, h)
	}
	return holds
}

// ListPods asks the API server for the pods of the node, as they are now if fresh and else as its
// cache has them, and says which of them a drain evicts.
func (w *Watcher) ListPods(ctx context.Context, node string, fresh bool) ([]*corev1.Pod, sets.Set[types.UID], error) {
	pods, err := w.Live.podsOn(ctx, node, fresh)
	if err != nil {
		return nil, nil, err
	}
	drainable, err := w.Selector.Drainable(ctx, node, pods)
	return pods, drainable, err
}

// PlanInput is what a plan for the node is made from.
func (w *Watcher) PlanInput(node *corev1.Node, holds []holdstatus.Hold, pods []*corev1.Pod, drainable sets.Set[types.UID], attempts map[types.UID]eviction.Attempt) plan.Input {
	now := w.config.Clock.Now()
	in := plan.Input{
		Node: node.Name, NodeDead: NodeDead(node), NodeReadySince: ReadyTime(node), Pods: pods, Drainable: drainable, Namespaces: w.Caches.LabelsOf(pods),
		Budgets: w.Budgets.Snapshot(pods, now), Attempts: attempts, Cordon: w.config.Cordon, Now: now,
	}
	for _, h := range holds {
		in.Holds = append(in.Holds, h.Hold)
	}
	return in
}

// NodeDead says whether the node's kubelet does not report, or reports that it cannot run pods.
func NodeDead(node *corev1.Node) bool {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return ready == nil || ready.Status != corev1.ConditionTrue
}

// ReadyTime is the time since which the node is ready, or is not; zero if that is not known.
func ReadyTime(node *corev1.Node) time.Time {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	if ready == nil {
		return time.Time{}
	}
	return ready.LastTransitionTime.Time
}
