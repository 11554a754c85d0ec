// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"flag"
	"fmt"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	modelRuns = flag.Int("quorum.runs", 400, "number of runs of TestModel")
	modelSeed = flag.Uint64("quorum.seed", 0, "seed of the one run of TestModel that is to be repeated; 0: all runs")
)

// modelSteps is how much happens in a run of the model.
const modelSteps = 300

// TestModel has members of a random control plane join, leave, fail, come back, be labelled, held, overridden and
// released, with caches that lag and a server that crashes. At each moment it checks that no node is let pass that
// the quorum needs, and at the end that no node waits that could go. What wakes a node is the Guard alone, and a
// change of its own holds.
func TestModel(t *testing.T) {
	if *modelSeed != 0 {
		newWorld(t, *modelSeed).live()
		return
	}
	saw := map[string]int{}
	for seed := range uint64(*modelRuns) {
		w := newWorld(t, seed+1)
		w.live()
		for what, times := range w.saw {
			saw[what] += times
		}
		if t.Failed() {
			t.Fatalf("repeat it with: go test ./pkg/drainer/quorum -run 'TestModel$' -quorum.seed=%d -v", seed+1)
		}
	}
	for what, times := range saw {
		t.Logf("%7d %s", times, what)
	}
	for _, what := range []string{"passed", "waited", "overridden", "crashed with a cordon under way", "went on after a wait", "found a cordon that the caches did not show"} {
		if saw[what] == 0 {
			t.Errorf("no run has ever %s: the model shows nothing", what)
		}
	}
}

// live lets the run happen.
func (w *world) live() {
	for range 3 + w.rand.IntN(3) {
		w.join()
	}
	acts := []func(){
		w.join, w.leave, w.fail, w.recover, w.recover, w.relabel, w.hold, w.hold, w.hold, w.override, w.unhold, w.unhold, w.resume, w.crash,
		w.work, w.work, w.work, w.work, w.work, w.land, w.land, w.land, w.show, w.show, w.show, w.show,
	}
	for range modelSteps {
		acts[w.rand.IntN(len(acts))]()
	}
	w.calm()
	w.wantNobodyToWaitInVain()
}

// calm lets everything arrive and be done, until nothing happens any more.
func (w *world) calm() {
	w.calming = true
	for rounds := 0; len(w.events)+len(w.queue)+len(w.late)+len(w.cordons) > 0; rounds++ {
		if rounds > 10_000 {
			w.t.Fatalf("seed %d: the nodes wake each other for ever", w.seed)
		}
		w.show()
		w.work()
		w.land()
	}
}

// wantNobodyToWaitInVain wants every node that still waits to be one that the quorum needs.
func (w *world) wantNobodyToWaitInVain() {
	for name, node := range w.nodes {
		if len(asking(w.holds[name])) == 0 || w.out(name) {
			continue
		}
		if left, needed := w.left(name, w.nodes); left >= needed || !labelled(node) || !ready(node) {
			w.t.Errorf("seed %d: %s waits, and without it %d members would stay of which %d must", w.seed, name, left, needed)
		}
	}
}

// wantRoom wants the members that the Guard can know of to be enough without the node, which is let pass.
func (w *world) wantRoom(name string) {
	if left, needed := w.left(name, w.cached); left < needed {
		w.t.Errorf("seed %d: %s was let pass, and without it %d members stay of which %d must", w.seed, name, left, needed)
	}
}

// left counts in nodes, apart from the code, which members are in service without that one, and must be.
func (w *world) left(name string, nodes nodesByName) (left, needed int) {
	all := 0
	for other, node := range nodes {
		if !labelled(node) {
			continue
		}
		all++
		if other != name && node.Status.Conditions[0].Status == "True" && !w.out(other) {
			left++
		}
	}
	return left, all/2 + 1
}

// out says whether a node is out of service by us, as nobody but the model can know.
func (w *world) out(name string) bool {
	node := w.nodes[name]
	return node != nil && (node.Annotations[v1beta1.HoldsAnnotation] != "" || w.cordons[name])
}

func (w *world) note(what string, args ...any) {
	if *modelSeed != 0 {
		w.t.Logf(what, args...)
	}
}

func (w *world) newName(prefix string) string {
	w.made++
	return fmt.Sprintf("%s-%d", prefix, w.made)
}
