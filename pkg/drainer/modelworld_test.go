// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
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

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// world is one run of the model: a simulated cluster, the drainer at work in it, and what is
// checked. Chance comes from the seed alone, either from rng, which only the run's own goroutine
// uses, or from rngFor.
type world struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand

	// server is the API server, whose lock guards everything below, and is held by whoever acts.
	server *drainertest.Server
	store  *drainertest.Store
	check  *modelCheck
	apps   []*modelApp
	// ours is the app whose pods run the drainer; nil: it runs in no pod.
	ours  *modelApp
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
	// admission has holds wait; nil: nothing waits.
	admission *modelAdmission
	// leading is the process that leads.
	leading *modelProcess
	stop    func(kill bool)
	// standby is a process that watches while another one leads; nil while there is none.
	standby *modelProcess
}

// modelProcess is a process with a drainer.
type modelProcess struct {
	drainer  *Drainer
	killed   chan struct{}
	watching sync.WaitGroup
	unwatch  context.CancelFunc
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
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)), began: time.Now(),
		pods: map[types.UID]*podRecord{}, holds: map[types.UID]*holdRecord{}, nodes: map[string]*nodeRecord{},
	}
	w.check = newModelCheck(w)
	w.server = drainertest.NewServer(drainertest.Hooks{Changed: w.changed, Served: w.served, Lag: w.lagOf})
	w.store = w.server.Store
	w.server.Inject(w.requestFails)
	w.config = Config{
		Kube: w.server.Kube, Maintenance: w.server.Maintenance,
		Recorder: &record.FakeRecorder{}, StoreID: drainertest.StoreID,
	}
	return w
}

// rngFor gives chance to goroutines of the drainer: it depends on the seed and on what is asked
// about, and so not on which goroutine comes first.
func (w *world) rngFor(what string, number int) *rand.Rand {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s/%d", what, number)
	return rand.New(rand.NewPCG(w.seed, hash.Sum64()))
}

// lagOf is how late watches deliver the change of that resource version.
func (w *world) lagOf(version int) time.Duration {
	if w.faults.lag == 0 {
		return 0
	}
	return time.Duration(w.rngFor("lag", version).Int64N(int64(w.faults.lag) + 1))
}

// trace notes what happened, for the case that a check fails. The caller holds the lock.
func (w *world) trace(format string, args ...any) {
	w.lines = append(w.lines, traceLine{
		at: time.Since(w.began), text: func() string { return fmt.Sprintf(format, args...) },
	})
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

// newProcess starts a process that watches.
func (w *world) newProcess() *modelProcess {
	w.t.Helper()
	config, p := w.config, &modelProcess{killed: make(chan struct{})}
	config.Evictions = modelEvicter{world: w, killed: p.killed}
	var err error
	if p.drainer, err = New(config); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	p.unwatch = cancel
	p.watching.Go(func() { p.drainer.Watch(ctx) })
	return p
}

// end ends a process that does not lead.
func (p *modelProcess) end() {
	p.unwatch()
	p.watching.Wait()
}

// start has a drainer lead until stop is called: one that has watched the one before it, or a new one.
func (w *world) start() {
	w.t.Helper()
	p := w.standby
	if p == nil {
		p = w.newProcess()
	} else {
		w.check.saw["another process takes over"]++
	}
	w.standby = nil
	if w.chance(50) {
		w.standby = w.newProcess()
	}
	w.leading = p
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	ended := make(chan struct{})
	go func() {
		_ = p.drainer.Lead(ctx)
		close(ended)
	}()
	w.locked(func() { w.trace("drainer starts") })
	w.stop = func(kill bool) {
		if kill {
			close(p.killed)
		}
		cancel()
		<-ended
		p.end()
	}
}

// restart stops the drainer - or kills it, and it hears of no answer any more - and has
// another lead, which knows nothing of the first but what its watches have shown. The caller does not hold the lock.
func (w *world) restart(kill bool, down time.Duration) {
	w.stop(kill)
	w.locked(func() { w.trace("drainer is down, killed=%t", kill) })
	time.Sleep(down)
	w.locked(w.check.restarted)
	w.locked(w.choosePod)
	if w.admission != nil {
		w.locked(w.admission.begin)
	}
	w.start()
}

// settle lets everything happen that happens without the clock moving on.
func (w *world) settle() { synctest.Wait() }

// locked has act run while nothing else acts.
func (w *world) locked(act func()) { w.server.Locked(act) }
