// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

const (
	// drainPoll is how often a node under drain is reconciled when nothing happens.
	drainPoll = time.Minute
	// pollJitter spreads these reconciles of several nodes over time.
	pollJitter = 0.2
	// listAgain is how soon to list a node's pods again when the watch shows that all have left, but
	// the last list does not.
	listAgain = time.Second
)

var errReplicaUnknown = errors.New("it is not known whether a pod that runs this server is evicted")

// drains moves the pods off the nodes: it watches them, plans, has them evicted, and confirms that
// they are gone.
type drains struct {
	config     Config
	watcher    *clusterwatch.Watcher
	dispatcher *eviction.Dispatcher
	pods       *clusterwatch.PodWatches
	// others are the pods that run this server, watched while one of them waits for another to become ready.
	others *clusterwatch.PodWatches
	// replicas are the pods that run this server.
	replicas *replicas.Ledger
	// returns are the pods that come back to nodes under drain.
	returns *returns.Tracker
	// machines are the virtual machines that are to leave nodes.
	machines *virtualmachine.Watch
}

// newDrains returns drains that call look for a node that should be looked at.
func newDrains(config Config, watcher *clusterwatch.Watcher, look func(node string)) *drains {
	return &drains{
		config: config, watcher: watcher,
		pods: clusterwatch.NewPodWatches(config.Kube, func(node string) clusterwatch.PodSelection {
			return clusterwatch.PodSelection{Fields: clusterwatch.PodsOf(node)}
		}, look),
		others: clusterwatch.NewPodWatches(config.Kube, func(string) clusterwatch.PodSelection {
			return clusterwatch.PodSelection{Namespace: config.Server.Pod.Namespace, Labels: config.Server.Selector()}
		}, look),
		replicas: replicas.NewLedger(watcher.Replicas, config.Clock, config.HandedOver()),
		returns:  returns.NewTracker(),
		machines: virtualmachine.NewWatch(config.Dynamic, config.Clock, look),
		dispatcher: eviction.NewDispatcher(eviction.Config{
			Clock: config.Clock, Client: config.Evictions, Budgets: watcher.Budgets,
			InFlight: config.EvictionsInFlight, Changed: look,
		}),
	}
}

// unsure fails if it is not known whether a pod that runs this server is evicted, since the request failed or was cut
// off. It is to be called when the dispatcher has ended.
func (d *drains) unsure() error {
	for uid, node := range d.replicas.Going() {
		if d.dispatcher.Attempts(node)[uid].Last.Outcome == eviction.Failed {
			return fmt.Errorf("%w: %s", errReplicaUnknown, uid)
		}
	}
	return nil
}

// close ends all watches. The dispatcher ends with its context.
func (d *drains) close() {
	d.pods.Close()
	d.others.Close()
	d.machines.Close()
}

// stop takes the node's pods out of the queue of evictions at once, and forgets them.
func (d *drains) stop(ctx context.Context, v *view) result {
	d.dispatcher.Cancel(v.name)
	d.replicas.Stop(v.name)
	d.pods.Stop(v.name)
	d.others.Stop(v.name)
	d.returns.Forget(v.name)
	d.machines.Follow(ctx, v.name, false)
	v.memory.drainable, v.memory.volumes = nil, nil
	return result{gauges: &nodeGauges{}}
}

// watch begins to watch the pods of the node.
func (d *drains) watch(ctx context.Context, v *view) result {
	return result{err: d.pods.Start(ctx, v.name)}
}

// pause evicts nothing more from the node for a while, and keeps what is known of its evictions.
func (d *drains) pause(ctx context.Context, v *view) result {
	d.dispatcher.Pause(v.name)
	d.replicas.Stop(v.name)
	d.others.Stop(v.name)
	d.machines.Follow(ctx, v.name, false)
	return result{}
}

// holdBack posts no eviction before the next plan: what only ending holds want must not be evicted once they are gone.
func (d *drains) holdBack(_ context.Context, v *view) result {
	d.dispatcher.Pause(v.name)
	return result{}
}

// underWay is what is known of the drain of the node.
func (d *drains) underWay(node string) clusterwatch.UnderWay {
	return clusterwatch.UnderWay{
		Attempts: d.dispatcher.Attempts(node), Returns: d.returns.Pods(node), Machines: d.machines, Leaving: d.replicas.Leaving(),
	}
}

// drain plans the drain of the node, hands its evictions to the dispatcher, and notes how far the
// drain has come.
func (d *drains) drain(ctx context.Context, v *view) result {
	pods, listed := d.pods.Pods(v.name)
	if !listed {
		// The watch has the node looked at when they are listed, or when that fails. It retries by
		// itself.
		v.drain.Failure = d.pods.Failure(v.name)
		return result{}
	}
	planned, back, err := d.plan(ctx, v, pods)
	d.dispatcher.Want(v.name, eviction.Wanted{Evictions: planned.Evictions(), ToGo: planned.ToGo(), Pods: pods})
	did := d.progress(v, planned, back)
	did.gauges = &nodeGauges{draining: planned.Moves(), blocked: planned.Blocked()}
	volumes, volumesErr := d.attachedVolumes(ctx, v, planned)
	for _, of := range v.drain.ByHold {
		of.Volumes, of.VolumesUnknown = volumes, volumesErr != nil
	}
	if err != nil {
		leaveDrained(v, v.drain.ByHold)
	} else {
		var again time.Duration
		again, err = d.confirm(ctx, v, v.drain.ByHold)
		did.add(result{again: again})
	}
	if did.err = errors.Join(err, volumesErr); did.err != nil {
		v.drain.Failure = did.err.Error()
	}
	return did
}

// plan plans the drain, and says which pods came back. With an error, the plan lets those pods stay for which it is not known whether
// a drain evicts them.
func (d *drains) plan(ctx context.Context, v *view, pods []*corev1.Pod) (plan.Plan, returns.Pods, error) {
	drainable, known, err := d.watcher.Selector.DrainableKnowing(ctx, v.name, pods, v.memory.drainable)
	v.memory.drainable = known
	plansTotal.Inc()
	in := d.watcher.PlanInput(v.node, v.Active, pods, drainable, d.dispatcher.Attempts(v.name))
	cordoned, failures := holdstatus.CordonedSince(v.Active), holdstatus.FailuresSince(v.Active, in.Now)
	in.Returns = d.returns.Observe(v.node, pods, drainable, in.Tolerant(v.node), cordoned, in.Now)
	in.Machines = d.machines.States(v.name, pods, failures)
	facts, decided := d.replicas.Look(ctx, v.name, pods)
	in.Replicas = facts
	planned := plan.Make(in)
	decided(planned.Replicas())
	if planned.AwaitsReplica() && d.config.Server.Selector() != "" {
		err = errors.Join(err, d.others.Start(ctx, v.name))
	} else {
		d.others.Stop(v.name)
	}
	d.machines.Follow(ctx, v.name, planned.MovesMachines())
	if in.Machines == nil {
		planned.AwaitMachines(d.machines.Awaits(), in.Now)
	}
	d.returns.Choose(v.name, planned.Chosen, in.Now)
	return planned, in.Returns, err
}

// progress says how far the drain has come for each hold that drains, judged as if alone.
func (d *drains) progress(v *view, planned plan.Plan, back returns.Pods) (did result) {
	v.drain.ByHold = map[types.UID]*holdstatus.HoldDrain{}
	if !planned.Recheck.IsZero() {
		did.again = max(planned.Recheck.Sub(d.config.Clock.Now()), time.Millisecond)
	}
	for i, h := range v.Active {
		if !h.Drains() {
			continue
		}
		of := &holdstatus.HoldDrain{Progress: planned.ProgressOf(h.Hold)}
		h = h.Doubted(of.Pending)
		v.Active[i] = h
		of.Moved = h.Memory.Pods.Count(h.Present, of.Pending, back)
		v.drain.ByHold[h.UID] = of
		if len(of.Pending) > 0 {
			did.add(result{again: wait.Jitter(drainPoll, pollJitter)})
		}
	}
	return did
}

// confirm looks at each hold whose pods have left as far as the watch shows, and checks with a fresh
// list from the API server that they have: a watch may lag. It returns when to list again.
func (d *drains) confirm(ctx context.Context, v *view, byHold map[types.UID]*holdstatus.HoldDrain) (again time.Duration, err error) {
	var pods []*corev1.Pod
	var drainable sets.Set[types.UID]
	for _, h := range v.Active {
		of := byHold[h.UID]
		if of == nil || h.Invalid != nil || len(of.Pending) > 0 || holdstatus.StaysDrained(h, 0) {
			continue
		}
		if drainable == nil {
			if pods, drainable, err = d.watcher.ListPods(ctx, v.name, true); err != nil {
				leaveDrained(v, byHold)
				return again, err
			}
		}
		left, staying := h.Split(pods, drainable, d.watcher.Caches.LabelsOf(pods))
		restless := d.returns.Restless(v.name, d.config.Clock.Now())
		of.Empty, of.Staying = len(left) == 0 && restless == 0, staying
		if !of.Empty {
			again = max(listAgain, restless)
		}
	}
	return again, nil
}

// leaveDrained is called after an error: one failed list must not take Drained back. It removes from
// byHold the holds that were drained before their spec changed and for which the watch shows no pod, so
// that their status stays as it is.
func leaveDrained(v *view, byHold map[types.UID]*holdstatus.HoldDrain) {
	for _, h := range v.Active {
		of := byHold[h.UID]
		if of != nil && !of.Empty && len(of.Pending) == 0 && holdstatus.Drained(h.Present) && !holdstatus.StaysDrained(h, 0) {
			delete(byHold, h.UID)
		}
	}
}

// attachedVolumes are the volumes that are attached to the node, without those of pods that stay there,
// sorted.
func (d *drains) attachedVolumes(ctx context.Context, v *view, planned plan.Plan) ([]string, error) {
	attachments := d.watcher.Caches.AttachmentsTo(v.name)
	if len(attachments) == 0 {
		return nil, nil
	}
	staying := sets.New[string]()
	for _, pod := range planned.Pods {
		if pod.Action != v1beta1.PlanStay {
			continue
		}
		for _, claim := range clusterwatch.ClaimsOf(pod.Pod) {
			volume, err := d.volumeOf(ctx, v.memory, claim)
			if err != nil {
				return nil, err
			}
			staying.Insert(volume)
		}
	}
	var attached []string
	for _, attachment := range attachments {
		if name := clusterwatch.VolumeName(attachment); !staying.Has(name) {
			attached = append(attached, name)
		}
	}
	slices.Sort(attached)
	return attached, nil
}

// volumeOf returns the volume that the claim is bound to; "" when it is bound to none.
func (d *drains) volumeOf(ctx context.Context, memory *nodeMemory, claim types.NamespacedName) (string, error) {
	if volume, known := memory.volumes[claim]; known {
		return volume, nil
	}
	pvc, err := d.watcher.Live.Claim(ctx, claim, metav1.GetOptions{})
	if pvc == nil || err != nil {
		return "", err
	}
	if pvc.Spec.VolumeName != "" {
		if memory.volumes == nil {
			memory.volumes = map[types.NamespacedName]string{}
		}
		memory.volumes[claim] = pvc.Spec.VolumeName
	}
	return pvc.Spec.VolumeName, nil
}
