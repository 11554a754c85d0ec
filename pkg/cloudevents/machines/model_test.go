// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

var (
	modelRuns = flag.Int("model.runs", 100, "how many random worlds TestModel runs")
	modelSeed = flag.Uint64("model.seed", 1, "the seed of the first one")
)

// TestModel replaces machines in random worlds: requests fail, leaders end after any write and send acts twice,
// controllers are slow and know old marks, new machines never come up, and admins scale, delete, detach and mark.
func TestModel(t *testing.T) {
	ends := map[string]int{}
	for run := range *modelRuns {
		seed := *modelSeed + uint64(run)
		w := newWorld(seed)
		w.run()
		for _, e := range w.events {
			ends[string(e.stored.Strategy)+" "+string(e.stored.Step)]++
		}
		if len(w.errs) > 0 {
			t.Fatalf("%s\nrepeat with: go test -run TestModel -model.runs=1 -model.seed=%d ./pkg/cloudevents/machines",
				strings.Join(slices.Concat(w.story, w.errs), "\n"), seed)
		}
	}
	for _, end := range []string{"SurgeFirst Replaced", "SurgeFirst GivenUp", "DeleteFirst Replaced"} {
		if ends[end] == 0 {
			t.Errorf("no event ended as %s: %v", end, ends)
		}
	}
	t.Log(ends)
}

// run lets the world live, then lets nothing fail any more, until all events have ended.
func (w *world) run() {
	for range 300 {
		w.tick()
		w.admin()
	}
	w.quiet = true
	for range 2000 {
		if w.tick(); w.ended() {
			break
		}
	}
	w.checkEnd()
}

// ended says whether all events have ended, and the set has what it wants.
func (w *world) ended() bool {
	for _, e := range w.events {
		if !replacement.Ended(e.stored.Step) {
			return false
		}
	}
	return int64(len(w.live())) == replicasOf(w.owner()) && len(w.server.All("Machine")) == len(w.live())
}

// tick is up to three seconds.
func (w *world) tick() {
	w.advance(time.Duration(w.random.IntN(3000)) * time.Millisecond)
	w.notice()
	if w.quiet || w.chance(50) {
		w.scaleSet()
	}
	if w.quiet || w.chance(50) {
		w.keepReplicas()
	}
	w.machinesLive()
	for _, e := range w.events {
		w.lives(e)
	}
}

// admin does something that others may do meanwhile.
func (w *world) admin() {
	owner := w.owner()
	live := w.live()
	switch w.random.IntN(400) {
	case 0:
		w.rescale(owner, w.random.Int64N(5)+1)
	case 1:
		if len(live) > 0 {
			w.deleteMachine(live[w.random.IntN(len(live))])
		}
	case 2:
		if len(live) > 0 {
			w.detach(live[w.random.IntN(len(live))])
		}
	case 3:
		w.events[w.random.IntN(len(w.events))].withdrawn = true
	}
}

// rescale sets other replicas. Those that the server has left itself cannot be told from its own.
func (w *world) rescale(owner *unstructured.Unstructured, count int64) {
	if count == replicasOf(owner) || owner.GetAnnotations()[v1beta1.SurgeReplicasAnnotation] == fmt.Sprint(count) {
		return
	}
	w.tell("an admin sets %d replicas", count)
	w.spare += max(0, replicasOf(owner)-count)
	w.wanted = count
	setReplicas(owner, count)
	w.server.Put(owner)
}

// detach takes a machine out of its set. What was added for it stays.
func (w *world) detach(machine *unstructured.Unstructured) {
	w.tell("an admin detaches machine %s", machine.GetName())
	machine.SetOwnerReferences(nil)
	w.server.Put(machine)
	w.released.Insert(machine.GetName())
	if e := w.eventOf(machine.GetName()); e != nil && slices.Contains(surgedFor(w.owner()), string(e.uid)) {
		w.detached++
	}
}

// checkEnd checks that all is as wanted when all events have ended.
func (w *world) checkEnd() {
	owner := w.owner()
	for _, e := range w.events {
		if !replacement.Ended(e.stored.Step) {
			w.errorf("%s: has not ended: step %s, waits for %q", e.uid, e.stored.Step, e.waiting)
		}
		if strings.Contains(e.stored.Failure, "does not belong to") && !w.released.Has(e.stored.Machine.Name) {
			w.errorf("%s: given up, but nobody has detached machine %s", e.uid, e.stored.Machine.Name)
		}
		if e.stored.Step == v1beta1.StepReplaced && w.machine(e.stored.Machine.Name) != nil {
			w.errorf("%s: replaced, but machine %s is there", e.uid, e.stored.Machine.Name)
		}
	}
	if count := replicasOf(owner); count < w.wanted || count > w.wanted+w.detached {
		w.errorf("%d replicas at the end, want %d", count, w.wanted)
	}
	if int64(len(w.live())) != replicasOf(owner) {
		w.errorf("%d machines at the end, want %d", len(w.live()), replicasOf(owner))
	}
	if surged := surgedFor(owner); len(surged) > 0 {
		w.errorf("events are left on the owner: %v", surged)
	}
	for _, machine := range w.live() {
		if w.marked(machine) {
			w.errorf("machine %s is marked at the end", machine.GetName())
		}
	}
}

func surgedFor(owner *unstructured.Unstructured) []string {
	value := owner.GetAnnotations()[v1beta1.SurgeAnnotation]
	if value == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(value, ":kept", ""), ",")
}
