// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }

// errDead is what a process gets that was killed.
var errDead = errors.New("the process was killed")

// world is a simulated cluster with machines, whose every change is checked.
type world struct {
	*drainertest.Server
	t *testing.T
	// cloud has the machines of the nodes.
	cloud    *cloud
	replicas []*replica
	// leaders is how many replicas there are, for hooks of the server.
	leaders atomic.Int64
	// logs says that what processes log is shown.
	logs bool
	// lag is how late watches are.
	lag atomic.Int64
	// slow is the time after which a hold that is admitted has drained its node.
	slow time.Duration
	// closed has policies keep all holds that do not bypass them.
	closed atomic.Bool
	// byPeople are the holds that people have deleted.
	byPeople []string
}

// inWorld runs a test in a bubble of its own time.
func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, slow: 20 * time.Second}
		w.Server = drainertest.NewServer(drainertest.Hooks{Changed: w.changed, Lag: func(int) time.Duration { return time.Duration(w.lag.Load()) }})
		w.cloud = newCloud(w)
		ctx, stop := context.WithCancel(context.Background())
		var others sync.WaitGroup
		others.Go(func() { w.live(ctx) })
		defer others.Wait()
		defer stop()
		defer func() {
			for _, r := range w.replicas {
				r.stop()
			}
		}()
		test(w)
	})
}

// live has the drainer and the controllers of machines work, a little at a time.
func (w *world) live(ctx context.Context) {
	ticker := time.NewTicker(1700 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		w.Locked(func() {
			for _, stored := range drainertest.All[*v1beta1.NodeMaintenance](w.Store) {
				w.drain(stored)
			}
		})
		w.cloud.live()
	}
}

// drain does what the drainer does with a hold.
func (w *world) drain(stored *v1beta1.NodeMaintenance) {
	if stored.DeletionTimestamp != nil {
		w.Store.Remove(stored)
		return
	}
	node := drainertest.Find[*corev1.Node](w.Store, "", stored.Spec.NodeName)
	if node == nil {
		return
	}
	next := stored.DeepCopy()
	status := &next.Status
	if status.NodeUID != node.UID {
		*status = v1beta1.NodeMaintenanceStatus{NodeUID: node.UID}
	}
	status.ObservedGeneration = next.Generation
	now := metav1.Now().Rfc3339Copy()
	set := func(kind, reason string, is bool) {
		condition := metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: reason, Message: "so it is", ObservedGeneration: next.Generation, LastTransitionTime: now}
		if is {
			condition.Status = metav1.ConditionTrue
		}
		apimeta.SetStatusCondition(&status.Conditions, condition)
	}
	admission := w.admission(next)
	cordoned := next.Spec.Stage != v1beta1.StageIdle && admission == nil
	if status.Admission == nil || admission != nil || status.Admission.Stage != next.Spec.Stage {
		status.Admission = admission
	}
	switch {
	case !cordoned || next.Spec.Stage != v1beta1.StageDrain:
		status.StartTime, status.DrainedTime = nil, nil
	case status.StartTime == nil:
		status.StartTime = &now
	case status.DrainedTime == nil && time.Since(status.StartTime.Time) >= w.slow:
		status.DrainedTime = &now
	}
	set(v1beta1.ConditionCordoned, v1beta1.ReasonCordoned, cordoned)
	set(v1beta1.ConditionDrained, v1beta1.ReasonNodeEmpty, status.DrainedTime != nil)
	if !apiequality.Semantic.DeepEqual(stored.Status, next.Status) {
		w.Store.Put(next)
	}
}

// admission is what keeps a hold; nil: nothing.
func (w *world) admission(hold *v1beta1.NodeMaintenance) *v1beta1.MaintenanceAdmission {
	idle := func(reason v1beta1.AdmissionReason) *v1beta1.MaintenanceAdmission {
		return &v1beta1.MaintenanceAdmission{
			Stage: v1beta1.StageIdle, WaitingFor: []v1beta1.AdmissionWait{{Reason: reason, Message: "a window of the policy"}},
		}
	}
	switch {
	case hold.Spec.NotBefore != nil && time.Now().Before(hold.Spec.NotBefore.Time) && !hold.Spec.BypassPolicies:
		return idle(v1beta1.AdmissionNotBefore)
	case w.closed.Load() && !hold.Spec.BypassPolicies:
		return idle(v1beta1.AdmissionQueued)
	default:
		return nil
	}
}

// replica is one process that leads.
type replica struct {
	stop func()
	dead atomic.Bool
	// writes are left before it dies; negative: it does not.
	writes   atomic.Int64
	recorder *record.FakeRecorder
}

// start starts a process that leads.
func (w *world) start() *replica {
	r := &replica{recorder: record.NewFakeRecorder(100000)}
	r.writes.Store(-1)
	kube, maintenance := w.Clients()
	for _, fake := range []*clienttesting.Fake{&kube.Fake, &maintenance.Fake} {
		fake.PrependReactor("*", "*", r.react)
	}
	known := newKnown(kube, maintenance)
	engine, err := New(Config{
		Maintenance: maintenance, Kube: kube, Cluster: known, Policies: known, Recorder: r.recorder,
		Machines: machines.New(w.cloud.of(r), w.cloud.server, clock.RealClock{}),
	})
	if err != nil {
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
	running.Go(func() { known.run(ctx) })
	running.Go(func() {
		if cache.WaitForCacheSync(ctx.Done(), known.nodes.HasSynced, known.holds.HasSynced, known.policies.HasSynced) {
			engine.Lead(ctx)
		}
	})
	r.stop = func() {
		r.dead.Store(true)
		cancel()
		running.Wait()
	}
	return r
}

// react has the process die at a write, which may be before it or instead of it.
func (r *replica) react(request clienttesting.Action) (bool, runtime.Object, error) {
	return r.dies(request.GetVerb()), nil, errDead
}

// dies counts a request, and says whether the process is dead by now.
func (r *replica) dies(verb string) bool {
	switch verb {
	case "create", "update", "patch", "delete":
		if r.writes.Load() == 0 {
			r.dead.Store(true)
		} else if r.writes.Load() > 0 {
			r.writes.Add(-1)
		}
	}
	return r.dead.Load()
}

func (w *world) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// event announces something, as a person.
func (w *world) event(name, code, node string, changes ...func(*v1beta1.ScheduledEvent)) {
	event := &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID(fmt.Sprintf("%s-%d", name, time.Now().UnixNano())), Generation: 1,
			CreationTimestamp: metav1.Now().Rfc3339Copy(), Finalizers: []string{v1beta1.EventFinalizer},
		},
		Spec: v1beta1.ScheduledEventSpec{Source: v1beta1.ManualSource, Code: code, NodeName: node, State: v1beta1.EventScheduled},
	}
	for _, change := range changes {
		change(event)
	}
	w.Add(event)
}

// notBefore has an event happen in a while.
func notBefore(in time.Duration) func(*v1beta1.ScheduledEvent) {
	return func(event *v1beta1.ScheduledEvent) {
		event.Spec.NotBefore = &metav1.Time{Time: metav1.Now().Add(in).Truncate(time.Second)}
	}
}

func (w *world) get(name string) *v1beta1.ScheduledEvent {
	return drainertest.Get[*v1beta1.ScheduledEvent](w.Server, "", name)
}

// change changes an event, as a person; not if it is gone.
func (w *world) change(name string, change func(*v1beta1.ScheduledEvent)) {
	if w.get(name) != nil {
		drainertest.Change(w.Server, &v1beta1.ScheduledEvent{ObjectMeta: metav1.ObjectMeta{Name: name}}, change)
	}
}

func (w *world) setState(name string, state v1beta1.ScheduledEventState) {
	w.change(name, func(event *v1beta1.ScheduledEvent) {
		if event.Spec.State == v1beta1.EventScheduled {
			event.Spec.State = state
		}
	})
}

// holdOf is the hold of an event; nil if there is none.
func (w *world) holdOf(event, node string) *v1beta1.NodeMaintenance {
	return drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", v1beta1.HoldName(node, v1beta1.EventRequestor+event))
}

// wantPhase wants an event to be in a phase.
func (w *world) wantPhase(name string, want v1beta1.ScheduledEventPhase) {
	w.t.Helper()
	event := w.get(name)
	if event == nil {
		w.t.Fatalf("event %s is gone, want phase %s", name, want)
	}
	if event.Status.Phase != want {
		w.t.Errorf("event %s is %s (%s), want %s: %+v", name, event.Status.Phase, event.Status.WaitingFor, want, event.Status)
	}
}
