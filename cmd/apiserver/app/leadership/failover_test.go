// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// failoverRuns is how many runs TestDrainsSurviveFailovers makes.
const failoverRuns = 60

// TestDrainsSurviveFailovers has two replicas drain nodes while they are cut off, killed, restarted and stopped at
// random. Only who holds the lease writes; no pod is evicted twice; and in the end every node is as its holds
// want it.
func TestDrainsSurviveFailovers(t *testing.T) {
	saw := map[string]int{}
	for seed := range uint64(failoverRuns) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed)
			for range 40 {
				w.step()
			}
			w.rest()
			for what, times := range w.saw {
				saw[what] += times
			}
		})
		if t.Failed() {
			t.Fatalf("the run of seed %d fails", seed)
		}
	}
	t.Logf("saw %v", saw)
	for _, what := range []string{"eviction", "cut off", "killed", "stopped", "canceled in flight", "another leads"} {
		if saw[what] == 0 {
			t.Errorf("the runs try nothing of the kind: %s", what)
		}
	}
}

// world is one run: a cluster, in which chance comes from the seed.
type world struct {
	*cluster
	rng      *rand.Rand
	seed     uint64
	replicas []*replica
	// lag is how late watches may be.
	lag          time.Duration
	names        int
	last         string
	saw          map[string]int
	nodes, holds []string
	// evicted says who has evicted each pod.
	evicted map[types.UID]string
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 0)), seed: seed, saw: map[string]int{}, evicted: map[types.UID]string{},
		nodes: []string{"worker-1", "worker-2", "worker-3"}, lag: 2 * time.Second,
	}
	w.cluster = &cluster{t: t, Server: drainertest.NewServer(drainertest.Hooks{Lag: w.lagOf})}
	for _, node := range w.nodes {
		w.Add(drainertest.Node{Name: node}.Object())
		w.addPods(node)
	}
	w.replicas = []*replica{w.startDrainer(), w.startDrainer()}
	return w
}

func (w *world) lagOf(version int) time.Duration {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%d/%d", w.seed, version)
	return time.Duration(hash.Sum64() % uint64(w.lag))
}

func (w *world) name(of string) string {
	w.names++
	return fmt.Sprintf("%s-%d", of, w.names)
}

func (w *world) addPods(node string) {
	for range 1 + w.rng.IntN(4) {
		w.Add(drainertest.Pod{Name: w.name("pod"), Node: node}.Object())
	}
}

// startDrainer starts a replica with a drainer.
func (w *world) startDrainer() *replica {
	r := w.newReplica(w.name("replica"))
	kube, maintenance := w.Clients()
	for _, fake := range []*clienttesting.Fake{&kube.Fake, &maintenance.Fake} {
		fake.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return w.pass(r, action)
		})
	}
	d, err := drainer.New(drainer.Config{
		Kube: kube, Maintenance: maintenance, StoreID: drainertest.StoreID, Recorder: &record.FakeRecorder{}, Elect: r.Run,
		Evictions: slowEvicter{Client: eviction.NewClient(kube), replica: r, world: w},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	ended := make(chan struct{})
	go func() {
		d.Run(ctx, ctx)
		close(ended)
	}()
	r.stop = func() {
		cancel()
		<-ended
	}
	return r
}

// pass lets a request of a drainer pass as its fence and its network do, and checks who writes.
func (w *world) pass(r *replica, action clienttesting.Action) (refused bool, _ runtime.Object, err error) {
	writes := action.GetVerb() != "get" && action.GetVerb() != "list" && action.GetVerb() != "watch"
	if writes {
		_, err = r.Fence().check()
	}
	if err == nil && r.off.Load() {
		err = errCutOff
	}
	if err == nil && writes {
		w.written(r, action.GetVerb()+" "+action.GetResource().Resource)
	}
	return err != nil, nil, err
}

// written checks a write that is about to be carried out.
func (w *world) written(r *replica, what string) {
	if holder := w.holder(); holder != r.name {
		w.t.Errorf("%s does %s while %q holds the lease", r.name, what, holder)
	}
	w.Locked(func() {
		if w.last != "" && w.last != r.name {
			w.saw["another leads"]++
		}
		w.last = r.name
	})
}

// slowEvicter posts evictions that take a while, as through a Fence.
type slowEvicter struct {
	eviction.Client
	replica *replica
	world   *world
}

// Evict implements eviction.Client.
func (e slowEvicter) Evict(ctx context.Context, pod *corev1.Pod, grace *int64) error {
	over, err := e.replica.Fence().check()
	if err != nil {
		return err
	}
	ctx, stop := whileTerm(ctx, over)
	defer stop()
	timer := time.NewTimer(e.world.lagOf(len(pod.UID)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	if e.replica.off.Load() {
		<-ctx.Done() // no answer comes
		e.world.see("canceled in flight")
		return ctx.Err()
	}
	e.world.Locked(func() { e.world.evict(e.replica, pod, grace, &err) })
	return err
}

// evict has the server evict the pod, and checks that it was not evicted before.
func (w *world) evict(r *replica, pod *corev1.Pod, grace *int64, err *error) {
	if by := w.evicted[pod.UID]; by != "" {
		w.t.Errorf("%s evicts pod %s, which %s has evicted", r.name, pod.Name, by)
	}
	result := w.Evict(drainertest.Eviction{Eviction: eviction.NewEviction(pod, grace)})
	if *err = result.Err; *err == nil {
		w.saw["eviction"]++
		w.evicted[pod.UID] = r.name
	}
}

// step does something, and lets some time pass.
func (w *world) step() {
	switch i := w.rng.IntN(len(w.replicas)); w.rng.IntN(9) {
	case 0:
		w.replicas[i].off.Store(true)
		w.see("cut off")
	case 1, 2:
		w.replicas[i].off.Store(false)
	case 3:
		w.replicas[i].off.Store(true)
		w.replicas[i].stop()
		w.replicas[i] = w.startDrainer()
		w.see("killed")
	case 4:
		w.replicas[i].stop()
		w.replicas[i] = w.startDrainer()
		w.see("stopped")
	case 5, 6:
		name := w.name("hold")
		w.Add(drainertest.Hold{Name: name, Node: w.oneNode(), Created: time.Now()}.Object())
		w.holds = append(w.holds, name)
	case 7:
		if len(w.holds) > 0 {
			w.deleteHold()
		}
	default:
		if node := w.oneNode(); !drainertest.Get[*corev1.Node](w.Server, "", node).Spec.Unschedulable {
			w.addPods(node)
		}
	}
	w.live(time.Duration(w.rng.Int64N(int64(8 * time.Second))))
}

// see counts what is tried. Drainers count, too, meanwhile.
func (w *world) see(what string) { w.Locked(func() { w.saw[what]++ }) }

func (w *world) oneNode() string { return w.nodes[w.rng.IntN(len(w.nodes))] }

func (w *world) deleteHold() {
	i := w.rng.IntN(len(w.holds))
	hold := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", w.holds[i])
	w.holds = append(w.holds[:i], w.holds[i+1:]...)
	w.Delete(hold)
}

// live lets time pass. Terminating pods end when their time has come.
func (w *world) live(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); w.wait(500 * time.Millisecond) {
		w.Locked(func() {
			for _, pod := range drainertest.All[*corev1.Pod](w.Store) {
				if at := pod.DeletionTimestamp; at != nil && !time.Now().Before(at.Time) {
					w.EndPod(pod)
				}
			}
		})
	}
}

// rest connects the replicas, lets everything settle, checks how it ends, and stops.
func (w *world) rest() {
	for _, r := range w.replicas {
		r.off.Store(false)
	}
	w.live(5 * time.Minute)
	held := map[string]bool{}
	for _, name := range w.holds {
		hold := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", name)
		held[hold.Spec.NodeName] = true
		if hold.Status.Phase != v1beta1.PhaseSucceeded {
			w.t.Errorf("hold %s of node %s ends as %+v", name, hold.Spec.NodeName, hold.Status)
		}
	}
	for _, name := range w.nodes {
		node := drainertest.Get[*corev1.Node](w.Server, "", name)
		if out := node.Spec.Unschedulable; out != held[name] || nodemarks.Marked(node) != held[name] {
			w.t.Errorf("node %s is out of service: %t, want %t", name, out, held[name])
		}
	}
	w.Locked(func() {
		if left := len(drainertest.All[*v1beta1.NodeMaintenance](w.Store)); left != len(w.holds) {
			w.t.Errorf("%d holds are left, want %d", left, len(w.holds))
		}
		for _, pod := range drainertest.All[*corev1.Pod](w.Store) {
			if held[pod.Spec.NodeName] {
				w.t.Errorf("pod %s is left on %s", pod.Name, pod.Spec.NodeName)
			}
		}
	})
	for _, r := range w.replicas {
		r.stop()
	}
}
