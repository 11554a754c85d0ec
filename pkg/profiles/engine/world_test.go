// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	maintenanceinformers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/aggregate"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }

// errDead is what a process gets that was killed.
var errDead = errors.New("the process was killed")

// world is a simulated cluster whose every change is checked.
type world struct {
	*drainertest.Server
	t *testing.T
	// limit is how many nodes may be in maintenance; 0: any.
	limit    int
	replicas []*replica
	// leaders is how many replicas there are, for hooks of the server.
	leaders atomic.Int64
	// logs says that what processes log is shown.
	logs    bool
	outside outside
	// lag is how late watches are.
	lag atomic.Int64
	// follow is told of each change, too; nil: nobody is. It is called under the server's lock.
	follow func(before, after drainertest.Object)
	// records has the crash records.
	records string
	mu      sync.Mutex
	// deaths are how many processes have died of each bomb. mu guards it.
	deaths map[string]int
}

// outside is what triggers have done.
type outside struct {
	mu sync.Mutex
	// jobs are how often each Job was made, and calls how often each step was called.
	jobs, calls map[string]int
	// answer is how a step ends; nil: it is done.
	answer func(step action.Step, calls int) (action.Progress, error)
}

// inWorld runs a test in a bubble of its own time.
func inWorld(t *testing.T, limit int, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, limit: limit, records: t.TempDir(), deaths: map[string]int{}, outside: outside{jobs: map[string]int{}, calls: map[string]int{}}}
		w.Server = drainertest.NewServer(drainertest.Hooks{Changed: w.changed, Lag: func(int) time.Duration { return time.Duration(w.lag.Load()) }})
		ctx, stop := context.WithCancel(context.Background())
		var drains sync.WaitGroup
		drains.Go(func() { w.drain(ctx) })
		defer drains.Wait()
		defer stop()
		defer func() {
			for _, r := range w.replicas {
				r.stop()
			}
		}()
		test(w)
	})
}

// drain does what the drainer does with holds, after a moment.
func (w *world) drain(ctx context.Context) {
	ticker := time.NewTicker(700 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		w.Locked(func() {
			for _, stored := range drainertest.All[*v1beta1.NodeMaintenance](w.Store) {
				if stored.DeletionTimestamp != nil {
					w.Store.Remove(stored)
					continue
				}
				node := drainertest.Find[*corev1.Node](w.Store, "", stored.Spec.NodeName)
				if node == nil || stored.Status.NodeUID == node.UID && isDone(stored) {
					continue
				}
				next := stored.DeepCopy()
				next.Status.ObservedGeneration, next.Status.NodeUID = next.Generation, node.UID
				next.Status.Conditions = []metav1.Condition{
					{Type: v1beta1.ConditionCordoned, Status: metav1.ConditionTrue, ObservedGeneration: next.Generation},
				}
				if next.Spec.Stage == v1beta1.StageDrain {
					next.Status.Conditions = append(next.Status.Conditions,
						metav1.Condition{Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue, ObservedGeneration: next.Generation})
				}
				w.Store.Put(next)
			}
		})
	}
}

// isDone says whether the hold has done what its stage asks for.
func isDone(held *v1beta1.NodeMaintenance) bool {
	want := v1beta1.ConditionCordoned
	if held.Spec.Stage == v1beta1.StageDrain {
		want = v1beta1.ConditionDrained
	}
	return apimeta.IsStatusConditionTrue(held.Status.Conditions, want)
}

// replica is one process that leads.
type replica struct {
	*Engine
	stop func()
	dead atomic.Bool
	// writes are left before it dies; negative: it does not.
	writes   atomic.Int64
	made     atomic.Int64
	recorder *record.FakeRecorder
	guard    *crashguard.Guard
	pod      string
	// left is the crash record as the process has left it that has died of a bomb.
	left []byte
}

// start starts a process that leads, and has no crash record.
func (w *world) start(changes ...func(*Config)) *replica { return w.startIn("", changes...) }

// startIn starts a process that leads, in a pod, whose crash record it uses.
func (w *world) startIn(pod string, changes ...func(*Config)) *replica {
	r := &replica{recorder: record.NewFakeRecorder(10000), guard: crashguard.New(), pod: pod}
	if pod != "" {
		if _, _, err := r.guard.Open(w.record(pod)); err != nil {
			w.t.Fatal(err)
		}
	}
	r.writes.Store(-1)
	kube, maintenance := w.Clients()
	for _, fake := range []*clienttesting.Fake{&kube.Fake, &maintenance.Fake} {
		fake.PrependReactor("*", "*", r.react)
	}
	compiled := &evaluation.Cache{}
	holds := maintenanceinformers.NewNodeMaintenanceInformer(maintenance, 0, cache.Indexers{})
	config := Config{
		Maintenance: maintenance, Kube: kube, Holds: fakeHolds{holds},
		NewCluster: func() Cluster { return aggregate.New() },
		Evaluate:   w.evaluating(r, compiled.Evaluate), Ledger: compiled.Ledger, Preview: evaluation.Evaluate,
		Recorder: r.recorder, Guard: r.guard,
	}
	own := hold.New(maintenance)
	config.Kinds = action.Kinds{
		action.KindHold: hold.Raise{Holds: own}, action.KindRelease: hold.Release{Holds: own},
		action.KindJob: fakeTrigger{w, r}, action.KindWebhook: fakeTrigger{w, r},
	}
	for _, change := range changes {
		change(&config)
	}
	var err error
	if r.Engine, err = New(config); err != nil {
		w.t.Fatal(err)
	}
	logger := logr.Discard() // killed processes complain
	if w.logs {
		logger = ktesting.NewLogger(w.t, ktesting.NewConfig(ktesting.Verbosity(4)))
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logger))
	w.leaders.Store(int64(len(w.replicas) + 1))
	var running sync.WaitGroup
	w.Locked(func() { w.replicas = append(w.replicas, r) })
	running.Go(func() { holds.RunWithContext(ctx) })
	running.Go(func() { r.Watch(ctx) })
	running.Go(func() { r.Lead(ctx) })
	r.stop = func() {
		r.dead.Store(true)
		cancel()
		running.Wait()
		if err := r.guard.Close(); err != nil {
			w.t.Error(err)
		}
		if r.left != nil {
			if err := os.WriteFile(w.record(r.pod), r.left, 0o600); err != nil {
				w.t.Error(err)
			}
		}
	}
	return r
}

// record is the crash record of the processes that run in a pod, one after the other.
func (w *world) record(pod string) string { return filepath.Join(w.records, pod) }

// isBomb begins expressions that kill the process that evaluates them.
const isBomb = "'bomb' != '"

// bomb is a check that kills the process that evaluates it. It is in no chain.
func bomb(text string) v1beta1.ProfileCheck {
	return v1beta1.ProfileCheck{Name: "bomb", Node: &v1beta1.NodeExpressionCheck{Expression: isBomb + text + "'"}}
}

// evaluating has the process die of bombs, each noted in the crash record, as expressions are.
func (w *world) evaluating(r *replica, evaluate func(evaluation.Facts) evaluation.Outcome) func(evaluation.Facts) evaluation.Outcome {
	return func(facts evaluation.Facts) evaluation.Outcome {
		for _, check := range facts.Profile.Spec.Checks {
			if check.Node == nil || !strings.HasPrefix(check.Node.Expression, isBomb) {
				continue
			}
			w.explode(r, check.Node.Expression)
		}
		return evaluate(facts)
	}
}

func (w *world) explode(r *replica, expression string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.dead.Load() {
		return
	}
	if _, err := r.guard.Enter(context.Background(), crashguard.TextOf(expression)); err != nil {
		return
	}
	r.dead.Store(true)
	w.deaths[expression]++
	var err error
	if r.left, err = os.ReadFile(w.record(r.pod)); err != nil {
		w.t.Error(err)
	}
}

// react has the process die at a write, which may be before it or instead of it.
func (r *replica) react(request clienttesting.Action) (bool, runtime.Object, error) {
	switch request.GetVerb() {
	case "create", "update", "patch", "delete":
		r.made.Add(1)
		if r.writes.Load() == 0 {
			r.dead.Store(true)
		} else if r.writes.Load() > 0 {
			r.writes.Add(-1)
		}
	}
	return r.dead.Load(), nil, errDead
}

// fakeTrigger is a trigger that is done outside of the cluster.
type fakeTrigger struct {
	w *world
	r *replica
}

func (f fakeTrigger) Do(_ context.Context, step action.Step) (action.Progress, error) {
	if f.r.dead.Load() {
		return action.Progress{}, errDead
	}
	f.w.wantRecorded(step)
	o := &f.w.outside
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls[step.ID()]++
	if step.Recorded.Trigger.Job != nil && o.jobs[step.Key()] == 0 {
		o.jobs[step.Key()]++
	}
	if o.answer != nil {
		return o.answer(step, o.calls[step.ID()])
	}
	return action.Done(), nil
}

// wantRecorded wants a step to be recorded before it is done.
func (w *world) wantRecorded(step action.Step) {
	stored := drainertest.Get[*v1beta1.NodeProfile](w.Server, "", step.NodeProfile.Name)
	if stored == nil || stored.UID != step.NodeProfile.UID {
		return // it is gone meanwhile; what was recorded is known from the version that was given
	}
	running := false
	for _, recorded := range step.NodeProfile.Status.Transition.Steps {
		running = running || recorded.ID == step.Recorded.ID && recorded.State == v1beta1.StepRunning
	}
	if !running {
		w.t.Errorf("step %s is done without a record: %+v", step.ID(), step.NodeProfile.Status.Transition)
	}
}

// changed checks what must always be so. It is called under the server's lock.
func (w *world) changed(before, after drainertest.Object) {
	if w.follow != nil {
		w.follow(before, after)
	}
	switch o := after.(type) {
	case *v1beta1.MaintenanceLedger:
		if w.limit > 0 && len(o.Spec.InMaintenance) > w.limit {
			w.t.Errorf("the ledger has %d nodes in maintenance, want at most %d", len(o.Spec.InMaintenance), w.limit)
		}
		w.wantPools(o)
	case *v1beta1.NodeProfile:
		w.wantOneOnNode(o)
	case *v1beta1.NodeMaintenance:
		if before == nil {
			w.wantOwner(o)
		}
	}
}

func (w *world) wantPools(stored *v1beta1.MaintenanceLedger) {
	for _, pool := range stored.Spec.Pools {
		taken := 0
		for _, grant := range pool.Grants {
			if time.Now().Before(grant.Time.Add(time.Duration(grant.Seconds) * time.Second)) {
				taken++
			}
		}
		if taken > 1 {
			w.t.Errorf("%d places of pool %s are taken, want at most 1: %+v", taken, pool.Name, pool.Grants)
		}
	}
}

// wantOneOnNode wants one profile in maintenance on a node, with an entry in the ledger, and not more nodes than may be.
func (w *world) wantOneOnNode(changed *v1beta1.NodeProfile) {
	if !needsPlace(changed) {
		return
	}
	nodes := map[string]string{}
	for _, other := range drainertest.All[*v1beta1.NodeProfile](w.Store) {
		if !needsPlace(other) {
			continue
		}
		if first, found := nodes[other.Spec.NodeName]; found {
			w.t.Errorf("%s and %s are in maintenance on one node", first, other.Name)
		}
		nodes[other.Spec.NodeName] = other.Name
	}
	if w.limit > 0 && len(nodes) > w.limit {
		w.t.Errorf("%d nodes are in maintenance, want at most %d: %v", len(nodes), w.limit, nodes)
	}
	stored := drainertest.Find[*v1beta1.MaintenanceLedger](w.Store, "", v1beta1.LedgerName)
	for _, entry := range specOfLedger(stored).InMaintenance {
		if entry.Node == changed.Spec.NodeName && entry.Profile == changed.Spec.Profile {
			return
		}
	}
	w.t.Errorf("%s is in maintenance, and the ledger says %+v", changed.Name, specOfLedger(stored))
}

func specOfLedger(stored *v1beta1.MaintenanceLedger) v1beta1.MaintenanceLedgerSpec {
	if stored == nil {
		return v1beta1.MaintenanceLedgerSpec{}
	}
	return stored.Spec
}

// wantOwner wants a new hold to belong to a NodeProfile that has recorded it. A process that is behind another one may
// create one that nobody needs any more; it is given back.
func (w *world) wantOwner(h *v1beta1.NodeMaintenance) {
	if w.leaders.Load() > 1 {
		return
	}
	for _, nodeProfile := range drainertest.All[*v1beta1.NodeProfile](w.Store) {
		if hold.Name(nodeProfile) == h.Name && nodeProfile.Status.Hold != nil {
			for _, owner := range h.OwnerReferences {
				if owner.UID == nodeProfile.UID {
					return
				}
			}
		}
	}
	w.t.Errorf("hold %s belongs to nobody who has recorded it", h.Name)
}

func (w *world) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) node(name string, labels ...string) {
	w.Add(newNode(name, name+"-uid", labels...))
}

func newNode(name, uid string, labels ...string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid), Labels: map[string]string{"pool": "web"}}}
	for _, label := range labels {
		node.Labels[label] = ""
	}
	return node
}

func (w *world) label(node, label string) {
	drainertest.Change(w.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, func(n *corev1.Node) { n.Labels[label] = "" })
}

func (w *world) unlabel(node, label string) {
	drainertest.Change(w.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, func(n *corev1.Node) { delete(n.Labels, label) })
}

// profile adds a profile for all nodes: label go begins, the limit and a stagger are kept, label done ends.
func (w *world) profile(name string, changes ...func(*v1beta1.MaintenanceProfileSpec)) {
	spec := v1beta1.MaintenanceProfileSpec{
		Mode:  v1beta1.ProfileActive,
		Nodes: v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}}},
		Checks: []v1beta1.ProfileCheck{
			{Name: "go", NodeLabel: &v1beta1.KeyValueCheck{Key: "go"}},
			{Name: "done", NodeLabel: &v1beta1.KeyValueCheck{Key: "done"}},
			{Name: "max", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: int32(max(w.limit, 1))}},
			{Name: "stagger", Stagger: &v1beta1.StaggerCheck{Pool: "p", Seconds: 30}},
		},
		Triggers: []v1beta1.ProfileTrigger{
			{Name: "hook", Webhook: &v1beta1.WebhookTrigger{}},
			{Name: "job", Job: &v1beta1.JobTrigger{}},
			{Name: "drain", Hold: &v1beta1.HoldTrigger{}},
			{Name: "release", Release: &v1beta1.ReleaseTrigger{}},
		},
		States: v1beta1.ProfileStates{
			Operational: v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{
				{Name: "need", Check: "go", Next: v1beta1.ProfileMaintenanceRequired},
			}},
			MaintenanceRequired: v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{
				{Name: "start", Check: "max && go", Triggers: []string{"hook", "job"}, Next: v1beta1.ProfileInMaintenance},
			}},
			InMaintenance: v1beta1.ProfileStateSpec{
				Hold: &v1beta1.ProfileHold{Stage: v1beta1.StageDrain}, Enter: []string{"hook"},
				Transitions: []v1beta1.ProfileTransition{{Name: "finish", Check: "done", Triggers: []string{"hook"}, Next: v1beta1.ProfileOperational}},
			},
		},
	}
	for _, change := range changes {
		change(&spec)
	}
	w.Add(&v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(fmt.Sprintf("%s-%d", name, time.Now().UnixNano())), Generation: 1, Finalizers: []string{v1beta1.DetachFinalizer}},
		Spec:       spec,
	})
}

func (w *world) changeProfile(name string, change func(*v1beta1.MaintenanceProfileSpec)) {
	drainertest.Change(w.Server, &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(p *v1beta1.MaintenanceProfile) {
		p.Generation++
		change(&p.Spec)
	})
}

func (w *world) get(node, profile string) *v1beta1.NodeProfile {
	return drainertest.Get[*v1beta1.NodeProfile](w.Server, "", v1beta1.NodeProfileName(node, profile))
}

func (w *world) ledger() v1beta1.MaintenanceLedgerSpec {
	return specOfLedger(drainertest.Get[*v1beta1.MaintenanceLedger](w.Server, "", v1beta1.LedgerName))
}

// wantState compares the state of a profile on nodes.
func (w *world) wantState(profile string, want v1beta1.ProfileState, nodes ...string) {
	w.t.Helper()
	for _, node := range nodes {
		got := w.get(node, profile)
		if got == nil || got.Status.State != want {
			w.t.Errorf("%s is %+v, want %s", v1beta1.NodeProfileName(node, profile), got, want)
		}
	}
}

// decide records the decision of a person.
func (w *world) decide(node, profile string, kind v1beta1.ProfileDecision, transition string) {
	name := v1beta1.NodeProfileName(node, profile)
	drainertest.Change(w.Server, &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(n *v1beta1.NodeProfile) {
		n.Status.Decisions = append(n.Status.Decisions, v1beta1.RecordedDecision{
			Decision: kind, Transition: transition, Sequence: n.Status.Sequence, By: "alice", Reason: "disk", Time: metav1.Now().Rfc3339Copy(),
		})
	})
}

// changeDecisions replaces what people have decided.
func (w *world) changeDecisions(node, profile string, decisions []v1beta1.RecordedDecision) {
	name := v1beta1.NodeProfileName(node, profile)
	drainertest.Change(w.Server, &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(n *v1beta1.NodeProfile) {
		n.Status.Decisions = decisions
	})
}

// holds is how many NodeMaintenances there are.
func (w *world) holds() (count int) {
	w.Locked(func() { count = len(drainertest.All[*v1beta1.NodeMaintenance](w.Store)) })
	return count
}
