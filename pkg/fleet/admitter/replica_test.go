// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// replica is one process: an admitter with the caches of a drainer, and a hand that does the drainer's work, step by
// step.
type replica struct {
	*world
	admitter *Admitter
	drainer  *drainer.Drainer
	client   *client
	recorder *record.FakeRecorder
	clock    *skewed
	// stop kills the replica, and waits for its end.
	stop func()

	// hand is closed while the hand is suspended.
	hand latch
	// actions is how many requests it has made.
	actions func() int

	mu sync.Mutex
	// dieAt is before which step the hand stops for ever; empty: none.
	dieAt string
	died  bool
	// pauseAt is before which step the hand is suspended; empty: none.
	pauseAt string
	wake    chan struct{}
}

// skewed is a clock that is ahead of the real one, or behind it.
type skewed struct {
	clock.RealClock
	mu  sync.Mutex
	off time.Duration
}

func (s *skewed) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.off)
}

// step sets the clock forward or back, as a person does: the monotonic clock stays.
func (s *skewed) step(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off += by
}

// start starts a replica that leads.
func (w *world) start(changes ...func(*Config)) *replica {
	r := &replica{world: w, wake: make(chan struct{}, 1), recorder: record.NewFakeRecorder(10000), clock: &skewed{off: w.offset}}
	kube, maintenance := w.Clients()
	r.client = &client{Interface: maintenance}
	r.actions = func() int { return len(kube.Actions()) + len(maintenance.Actions()) }
	var err error
	r.drainer, err = drainer.New(drainer.Config{Maintenance: maintenance, Kube: kube, StoreID: drainertest.StoreID, Recorder: r.recorder})
	if err != nil {
		w.t.Fatal(err)
	}
	config := Config{Cluster: r.drainer, Maintenance: r.client, Kube: kube, Recorder: r.recorder, Clock: r.clock}
	for _, change := range changes {
		change(&config)
	}
	if r.admitter, err = New(config); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), ktesting.NewLogger(w.t, ktesting.NewConfig(ktesting.Verbosity(0)))))
	var running sync.WaitGroup
	running.Go(func() { r.drainer.Watch(ctx) })
	running.Go(func() { r.admitter.Watch(ctx) })
	w.wait(time.Second)
	running.Go(func() { r.admitter.Run(ctx, func(string) { r.nudge() }) })
	running.Go(func() { r.work(ctx) })
	r.stop = func() {
		cancel()
		r.client.open()
		r.hand.open()
		running.Wait()
	}
	w.replicas = append(w.replicas, r)
	w.settle()
	return r
}

func (r *replica) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// work does what is to be done on all nodes, whenever something changes.
func (r *replica) work(ctx context.Context) {
	stop, err := r.drainer.FollowHolds(func(_, _ *v1beta1.NodeMaintenance) { r.nudge() })
	if err != nil {
		return
	}
	defer stop()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-r.wake:
		}
		nodes, _ := r.drainer.Nodes()
		for _, node := range nodes {
			r.look(ctx, node)
		}
	}
}

// may says whether the hand may go on to a step.
func (r *replica) may(ctx context.Context, step string) bool {
	r.mu.Lock()
	r.died = r.died || r.dieAt == step
	died := r.died
	if r.pauseAt == step {
		r.pauseAt = ""
		r.hand.close()
	}
	r.mu.Unlock()
	r.hand.pass()
	return !died && ctx.Err() == nil
}

// dieBefore has the replica die before a step of its hand, or before or after the next write of the ledger.
func (r *replica) dieBefore(step string) {
	switch step {
	case "write":
		r.client.before = func() { r.die(); r.client.close() }
	case "answer":
		r.client.after = func() { r.die(); r.client.close() }
	default:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.dieAt = step
	}
}

// pauseBefore has the hand be suspended before a step.
func (r *replica) pauseBefore(step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pauseAt = step
}

func (r *replica) die() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.died = true
}

// dead says whether the replica has come to the step before which it dies.
func (r *replica) dead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

// ourNote is the annotation that the hand leaves, without the holds. Another one, or a taint with a value, is another's.
const ourNote = `{"storeID":"` + drainertest.StoreID + `"}`

func ours(node *corev1.Node) bool {
	return strings.HasPrefix(node.Annotations[v1beta1.HoldsAnnotation], strings.TrimSuffix(ourNote, "}"))
}

// noteFor is the annotation for these holds.
func noteFor(holds []*v1beta1.NodeMaintenance) string {
	named := make([]string, 0, len(holds))
	for _, hold := range holds {
		named = append(named, fmt.Sprintf(`{"name":%q,"since":%q}`, hold.Name, hold.CreationTimestamp.UTC().Format(time.RFC3339)))
	}
	return strings.TrimSuffix(ourNote, "}") + `,"holds":[` + strings.Join(named, ",") + "]}"
}

// look visits a node. Its context ends with it, as that of the drainer does.
func (r *replica) look(ctx context.Context, node *corev1.Node) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r.visit(ctx, node)
}

// visit takes the node out of service for its admitted holds, or gives it back.
func (r *replica) visit(ctx context.Context, node *corev1.Node) {
	var holding, ending []*v1beta1.NodeMaintenance
	for _, hold := range r.drainer.HoldsOn(node.Name) {
		answer := r.admitter.Admitted(hold)
		switch {
		case !hold.DeletionTimestamp.IsZero():
			ending = append(ending, hold)
		case !answer.Known:
			return
		case answer.Stage != v1beta1.StageIdle:
			holding = append(holding, hold)
		}
	}
	switch {
	case len(holding) > 0 && !ours(node):
		r.takeOut(ctx, node, holding)
	case len(holding) == 0 && (ours(node) || len(ending) > 0):
		r.giveBack(ctx, node, ending)
	}
}

func (r *replica) takeOut(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) {
	if !r.may(ctx, "record") {
		return
	}
	for _, hold := range holds {
		if !r.recordOn(node, hold) {
			return // another replica has let it end meanwhile
		}
	}
	if !r.may(ctx, "acquire") {
		return
	}
	if verdict, err := r.admitter.Acquire(ctx, node, holds); verdict.Wait != nil || err != nil || !r.may(ctx, "cordon") {
		return
	}
	drainertest.Change(r.Server, node, func(n *corev1.Node) {
		if !ours(n) && n.UID == node.UID {
			n.Annotations = map[string]string{v1beta1.HoldsAnnotation: noteFor(holds)}
			drainertest.Taint(v1beta1.DrainTaint)(n)
		}
	})
}

// recordOn has the hold say what the node was like before, and says whether the hold is there.
func (r *replica) recordOn(node *corev1.Node, hold *v1beta1.NodeMaintenance) (found bool) {
	r.Locked(func() {
		stored := drainertest.Find[*v1beta1.NodeMaintenance](r.Store, "", hold.Name)
		if found = stored != nil && stored.UID == hold.UID; found {
			next := stored.DeepCopy()
			next.Status.NodeUID, next.Status.NodeBefore = node.UID, &v1beta1.NodeBefore{}
			r.Store.Put(next)
		}
	})
	return found
}

func (r *replica) giveBack(ctx context.Context, node *corev1.Node, ending []*v1beta1.NodeMaintenance) {
	if !r.may(ctx, "give back") {
		return
	}
	drainertest.Change(r.Server, node, func(n *corev1.Node) {
		if ours(n) {
			delete(n.Annotations, v1beta1.HoldsAnnotation)
		}
		n.Spec.Taints = slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool {
			return t.Key == v1beta1.DrainTaint && t.Value == ""
		})
	})
	if !r.may(ctx, "release") {
		return
	}
	_ = r.admitter.Release(ctx, node.Name)
	if !r.may(ctx, "end") {
		return
	}
	r.Locked(func() {
		for _, hold := range ending {
			if drainertest.Find[*v1beta1.NodeMaintenance](r.Store, "", hold.Name) != nil {
				r.Store.Remove(hold)
			}
		}
	})
}
