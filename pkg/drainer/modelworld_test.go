// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

// world is one run of the model: a simulated cluster, the drainer at work in it, and what is
// checked. Chance comes from the seed alone, either from rng, which only the run's own goroutine
// uses, or from rngFor.
type world struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand

	// mu guards everything below, and is held by whoever acts.
	mu    sync.Mutex
	store *modelStore
	check *modelCheck
	apps  []*modelApp
	pods  map[types.UID]*podRecord
	holds map[types.UID]*holdRecord
	nodes map[string]*nodeRecord
	// podsSeen are the pods as the disruption controller knows them.
	podsSeen []*corev1.Pod
	faults   modelFaults
	// late are evictions that a process posted which was killed before they were carried out.
	late []func()
	// ending says that faults are over and that controllers are not late any more.
	ending         bool
	requests, uids int
	began          time.Time
	lines          []traceLine

	config Config
	stop   func(kill bool)
}

// modelFaults are what goes wrong, and how often.
type modelFaults struct {
	on bool
	// lag is what a watch may be behind.
	lag time.Duration
	// evictions and requests are the shares of requests that fail; latency is what an eviction
	// may take.
	evictions, requests float64
	latency             time.Duration
}

type traceLine struct {
	at   time.Duration
	text func() string
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)), store: newModelStore(), began: time.Now(),
		pods: map[types.UID]*podRecord{}, holds: map[types.UID]*holdRecord{}, nodes: map[string]*nodeRecord{},
	}
	w.check = newModelCheck(w)
	kube, maintenance := w.newModelClients()
	w.config = Config{Kube: kube, Maintenance: maintenance, Recorder: &record.FakeRecorder{}, StoreID: testStoreID}
	return w
}

// rngFor gives chance to goroutines of the drainer: it depends on the seed and on what is asked
// about, and so not on which goroutine comes first.
func (w *world) rngFor(what string, number int) *rand.Rand {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s/%d", what, number)
	return rand.New(rand.NewPCG(w.seed, hash.Sum64()))
}

func (w *world) lagOf(event modelEvent) time.Duration {
	if w.faults.lag == 0 {
		return 0
	}
	return time.Duration(w.rngFor("lag", event.version).Int64N(int64(w.faults.lag) + 1))
}

// trace notes what happened, for the case that a check fails. The caller holds the lock.
func (w *world) trace(format string, args ...any) {
	w.lines = append(w.lines, traceLine{at: time.Since(w.began), text: func() string { return fmt.Sprintf(format, args...) }})
}

// told is the trace in words, but for its beginning if it is long.
func (w *world) told(most int) string {
	lines := w.lines[max(len(w.lines)-most, 0):]
	var text strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&text, "%8.3fs %s\n", line.at.Seconds(), line.text())
	}
	return text.String()
}

// start runs a drainer until stop is called.
func (w *world) start() {
	w.t.Helper()
	drainer, err := New(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	killed := make(chan struct{})
	drainer.dispatcher.evicter = modelEvicter{world: w, killed: killed}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	ended := make(chan struct{})
	go func() {
		drainer.Run(ctx)
		close(ended)
	}()
	w.locked(func() { w.trace("drainer starts") })
	w.stop = func(kill bool) {
		if kill {
			close(killed)
		}
		cancel()
		<-ended
	}
}

// restart stops the drainer - or kills it, and it hears of no answer any more - and starts
// another, which knows nothing of the first. The caller does not hold the lock.
func (w *world) restart(kill bool, down time.Duration) {
	w.stop(kill)
	w.mu.Lock()
	w.trace("drainer is down, killed=%t", kill)
	w.mu.Unlock()
	time.Sleep(down)
	w.mu.Lock()
	w.check.restarted()
	w.mu.Unlock()
	w.start()
}

// settle lets everything happen that happens without the clock moving on.
func (w *world) settle() { synctest.Wait() }

// locked has act run while nothing else acts.
func (w *world) locked(act func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	act()
}

// modelEvicter makes the drainer's evictions and deletions, with all that may befall them.
type modelEvicter struct {
	world  *world
	killed chan struct{}
}

func (e modelEvicter) evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	eviction, posted := newEviction(pod, gracePeriodSeconds), time.Now()
	e.world.locked(func() { e.world.check.evictionPosted(eviction) })
	return e.make(ctx, pod.UID, func(as serving) error { return e.world.evictPod(eviction, as, posted) })
}

func (e modelEvicter) unprotected(_ context.Context, pod *corev1.Pod) error {
	var live *corev1.Pod
	e.world.locked(func() { live = e.world.livePod(keyOf(pod)) })
	switch {
	case live == nil || live.UID != pod.UID:
		return newNotFound(pod.Name)
	case podReady(live):
		return errProtected
	default:
		return nil
	}
}

func (e modelEvicter) delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	options := deleteOptions(pod, gracePeriodSeconds)
	e.world.locked(func() { e.world.check.deletionPosted(keyOf(pod), options) })
	return e.make(ctx, pod.UID, func(serving) error {
		live := e.world.livePod(keyOf(pod))
		if live == nil {
			return newNotFound(pod.Name)
		}
		return e.world.deletePod(live, options)
	})
}

// errKilled is what a process gets that hears of no answer any more. It matters to nobody.
var errKilled = errors.New("killed")

// make takes the request to the API server and the answer back.
func (e modelEvicter) make(ctx context.Context, uid types.UID, serve func(serving) error) error {
	w := e.world
	var fault evictionFault
	w.locked(func() { fault = w.evictionFails(uid) })
	if err := e.travel(ctx, fault.before); err != nil {
		if fault.carriedOut {
			w.locked(func() { w.late = append(w.late, func() { _ = serve(serving{}) }) })
		}
		return err
	}
	answer := fault.answer
	w.locked(func() {
		if answer == nil || fault.carriedOut {
			if err := serve(serving{ours: true, half: fault.half}); answer == nil {
				answer = err
			}
		}
		w.check.answered(uid, answer)
	})
	if lost := e.travel(ctx, fault.after); lost != nil {
		return lost
	}
	if answer == nil {
		w.locked(func() { w.pods[uid].accepted = time.Now() })
	}
	return answer
}

// travel takes time, unless the process is killed or gives up.
func (e modelEvicter) travel(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-e.killed:
		return errKilled
	case <-ctx.Done():
		return ctx.Err()
	}
}
