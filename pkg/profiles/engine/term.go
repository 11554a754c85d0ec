// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/readyourwrites"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// workers is how many NodeProfiles are visited at the same time.
	workers = 8
	// moveTimeout bounds a move: a call of a trigger, and the writes around it.
	moveTimeout = webhookTimeout + 20*time.Second
)

// term is the work of one term of leading. A new one is made each time, so that nothing older is used.
type term struct {
	*Engine
	queue   *workloop.Queue
	nodes   cache.SharedIndexInformer
	holds   *hold.Holds
	cluster Cluster
	answers Answers
	turns   turns
	// adopted says that something may have been adopted since the last look.
	adopted  atomic.Bool
	latest   readyourwrites.Objects[*v1beta1.NodeProfile]
	admitter *admitter
	statuses *statuses
	vouchers *vouchers
	recorder record.EventRecorder
	pairs    pairs
	room     *room
	slow     slow
	// kept is what was wanted of holds when it was last seen that they are so.
	kept words
	// telling has the NodeProfiles of a node make notifications one after the other.
	telling [64]sync.Mutex
	// written is the time when words alone were written of a NodeProfile last.
	written moments
}

// Lead applies profiles until ctx is done, beside Watch, and returns when everything it started has ended. Without
// profiles it waits for the first one. It may be called again, and remembers nothing of the time before.
func (e *Engine) Lead(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithName("profiles"))
	defer e.config.Epoch.Join()()
	if !cache.WaitForCacheSync(ctx.Done(), e.profiles.HasSynced, e.nodeProfiles.HasSynced, e.told) {
		return
	}
	for workloop.AwaitWork(ctx, e.profiles, e.nodeProfiles) {
		e.lead(ctx)
	}
}

// isIdle says whether there are neither profiles nor NodeProfiles.
func (e *Engine) isIdle() bool { return workloop.IsIdle(e.profiles, e.nodeProfiles) }

// lead applies profiles until ctx is done, or nothing is left to be done.
func (e *Engine) lead(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	t, stopRecording := e.newTerm()
	var running sync.WaitGroup
	defer stopRecording()
	defer resetGauges()
	defer running.Wait()
	defer t.queue.ShutDown()
	defer stop()
	running.Go(func() { t.nodes.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), t.nodes.HasSynced) {
		return
	}
	e.leading.Store(t)
	defer e.leading.Store(nil)
	unfollow, err := t.follow(ctx)
	defer unfollow()
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not follow what profiles depend on")
		return
	}
	if !t.admitter.learn(ctx) {
		return
	}
	running.Go(func() { t.answers.Run(ctx) })
	running.Go(func() { t.admitter.run(ctx) })
	running.Go(func() { t.statuses.run(ctx, stop) })
	running.Go(func() { t.askVouchers(ctx) })
	for range workers {
		running.Go(func() { t.queue.Work(ctx) })
	}
	<-ctx.Done()
}

func (e *Engine) newTerm() (t *term, stopRecording func()) {
	t = &term{
		Engine: e, nodes: watched.New(watched.Config{By: watcher, Resource: "nodes", Clients: e.config.Kube, Clock: e.config.Clock},
			e.config.Kube.CoreV1().Nodes(), &corev1.Node{}),
		vouchers: newVouchers(), turns: newTurns(), holds: hold.New(e.config.Maintenance), cluster: e.config.NewCluster(),
		written: moments{at: map[string]time.Time{}},
		pairs:   pairs{of: map[string]v1beta1.NodeProfileSpec{}}, kept: words{of: map[string]string{}}, slow: slow{profiles: map[string]bool{}}, room: newRoom(e.config.MaxNodeProfiles),
	}
	t.queue = workloop.New(workloop.Config{
		Name: "profiles", Visit: t.moveOn, Kind: "nodeProfile", Problem: "Could not apply a profile to a node",
		Failures: failedVisits, Panics: panics, Clock: e.config.Clock,
	})
	_ = t.nodes.SetTransform(trim) // it fails only after the informer has begun
	t.recorder, stopRecording = workloop.NewRecorder(e.config.Kube, eventComponent, e.config.Recorder)
	t.adopted.Store(true) // by an earlier term
	t.answers = e.newAnswers(t.cluster)
	t.admitter = newAdmitter(t, ledger.New(ledger.Config{
		Client: e.config.Maintenance.MaintenanceV1beta1().MaintenanceLedgers(), Clock: e.config.Clock, Epoch: e.config.Epoch,
	}))
	t.statuses = newStatuses(t)
	return t, stopRecording
}

// trim drops what no profile asks for and what is large.
func trim(obj any) (any, error) {
	if node, is := obj.(*corev1.Node); is {
		node.ManagedFields, node.Status.Images = nil, nil
	}
	return obj, nil
}

// node returns a node, from the cache; nil if there is none.
func (t *term) node(name string) *corev1.Node {
	object, _, _ := t.nodes.GetStore().GetByKey(name)
	node, _ := object.(*corev1.Node)
	return node
}
