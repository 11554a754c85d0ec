// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"flag"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var (
	modelRuns = flag.Int("model.runs", defaultModelRuns, "number of runs of TestModel")
	modelSeed = flag.Uint64("model.seed", 0, "seed of the one run of TestModel that is to be repeated; 0: all runs")
	modelFrom = flag.Uint64("model.from", 1, "seed of the first run of TestModel")
)

const (
	// modelShards is how many runs are made at a time.
	modelShards = 2
	// toldLines is how much of a failed run is told, unless it is repeated alone.
	toldLines = 60
)

// TestModel lets the engine drain random clusters in which everything happens at once, and checks
// at each request and at the end that it keeps its promises. What is random comes from the seed
// of the run, but for the order in which goroutines run at the same instant of the simulated time:
// a rare failure may need its run to be repeated a few times (-count).
func TestModel(t *testing.T) {
	if *modelSeed != 0 {
		runModel(t, *modelSeed, map[string]int{})
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a run leaves much behind, and little of it lasts
	saw := make([]map[string]int, modelShards)
	t.Run("runs", func(t *testing.T) {
		for shard := range modelShards {
			saw[shard] = map[string]int{}
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for i := shard; i < *modelRuns && !t.Failed(); i += modelShards {
					runModel(t, *modelFrom+uint64(i), saw[shard])
				}
			})
		}
	})
	total := map[string]int{}
	for _, part := range saw {
		for what, times := range part {
			total[what] += times
		}
	}
	for _, what := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%7d %s", total[what], what)
	}
}

// runModel makes one run, in a bubble of its own time.
func runModel(t *testing.T, seed uint64, saw map[string]int) {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprintf("model run of seed %d: %v", seed, r))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, seed)
		w.live()
		for what, times := range w.check.saw {
			saw[what] += times
		}
		if w.check.broken == "" {
			return
		}
		lines := toldLines
		if *modelSeed != 0 {
			lines = len(w.lines)
		}
		t.Errorf("model run of seed %d: %s\nrepeat: go test ./pkg/drainer -run 'TestModel$' -model.seed=%d -count=5\n%s",
			seed, w.check.broken, seed, w.told(lines))
	})
}

// live is the whole of a run: a time in which everything happens, and one in which it comes to
// rest.
func (w *world) live() {
	w.locked(w.populate)
	w.start()
	defer func() {
		w.stop(false)
		if w.standby != nil {
			w.standby.end()
		}
	}()
	pace := oneOf(w, 200*time.Millisecond, time.Second, 4*time.Second)
	for range w.between(5, 30) {
		time.Sleep(w.upTo(pace))
		w.settle()
		var down bool
		w.locked(func() {
			w.check.settled()
			w.tick()
			if len(w.late) > 0 {
				w.late[0]()
				w.late = w.late[1:]
			}
			w.act()
			if w.admission != nil {
				w.admission.decide()
			}
			down = w.chance(4) || (w.ownPodGoes() && w.chance(50))
		})
		if w.admission != nil {
			w.admission.wake()
		}
		if down {
			w.restart(w.chance(50), w.upTo(20*time.Second))
		}
		if w.isBroken() {
			return
		}
	}
	w.locked(w.calm)
	if w.admission != nil {
		w.admission.wake()
	}
	w.rest()
	w.locked(func() {
		if w.check.broken == "" {
			w.checkEnd()
		}
	})
}

func (w *world) isBroken() bool {
	var broken bool
	w.locked(func() { broken = w.check.broken != "" })
	return broken
}
