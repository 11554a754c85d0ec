// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// Random profiles whose checks ask for the ledger in every way, on nodes that begin and end maintenance. If places become
// free, those are granted them who are if all that wait are evaluated. Whenever things have settled, nobody that could go
// is left, and what is to be asked for each is asked. And when nothing has happened for some time, all say what is so.
func TestNobodyThatWasRefusedIsForgotten(t *testing.T) {
	for seed := uint64(1); seed <= uint64(max(*modelRuns/8, 1)); seed++ {
		if *modelSeed != 0 && seed != uint64(*modelSeed) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, 0, func(w *world) {
				(&crowd{world: w, random: rand.New(rand.NewPCG(seed, 3)), answers: &fakeAnswers{wanted: map[string][]string{}}}).run()
			})
		})
	}
}

// crowd are nodes of which many wait.
type crowd struct {
	*world
	random  *rand.Rand
	answers *fakeAnswers
	// skips says that nodes count no more by time alone, of which no words tell.
	skips bool
	// granted is how many were granted something in turn, and quiet how often all have said what is so.
	granted, quiet int
}

func (c *crowd) run() {
	c.skips = c.random.IntN(4) == 0
	for i := range 30 {
		c.node(fmt.Sprintf("w-%02d", i))
		c.set(i, "zone", []string{"a", "b", "c"}[c.random.IntN(3)])
	}
	for i := range 1 + c.random.IntN(2) {
		c.profile([]string{"esx", "flatcar"}[i], c.spec)
	}
	c.start(func(config *Config) { config.NewAnswers = func(Cluster) Answers { return c.answers } })
	c.wait(20 * time.Second)
	for range 30 {
		for range 1 + c.random.IntN(15) {
			c.event()
		}
		c.wait(time.Duration(c.random.IntN(100_000)) * time.Millisecond)
		c.wantInTurn()
		c.wantNobodyLeft()
		if c.random.IntN(5) == 0 && !c.skips {
			c.wantWords()
		}
		if c.t.Failed() {
			return
		}
	}
	c.t.Logf("%d were granted something in turn, and all said what is so %d times", c.granted, c.quiet)
}

// spec varies a profile.
func (c *crowd) spec(spec *v1beta1.MaintenanceProfileSpec) {
	quick(spec)
	var skip *int64
	if c.skips {
		skip = ptr.To[int64](100)
	}
	spec.Checks = []v1beta1.ProfileCheck{
		{Name: "go", NodeLabel: &v1beta1.KeyValueCheck{Key: "go"}},
		{Name: "done", NodeLabel: &v1beta1.KeyValueCheck{Key: "done"}},
		{Name: "c0", NodeLabel: &v1beta1.KeyValueCheck{Key: "ready"}},
		{Name: "c1", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1 + c.random.Int32N(4)}},
		{Name: "c2", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1 + c.random.Int32N(2), GroupBy: []string{"zone"}}},
		{Name: "c3", Stagger: &v1beta1.StaggerCheck{Pool: "p", Seconds: 30}},
		{Name: "c4", HTTP: &v1beta1.HTTPCheck{}},
		{Name: "c5", AnyNode: &v1beta1.KeyValueCheck{Key: "busy"}},
		{Name: "c6", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 2, Profile: "esx"}},
		{Name: "c7", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 2, SkipAfterSeconds: skip}},
		{Name: "c8", Wait: &v1beta1.WaitCheck{Seconds: 45}},
	}
	spec.Priority = c.random.Int32N(2)
	states := &spec.States
	if c.random.IntN(3) == 0 {
		states.Operational.Transitions[0].Check = "go && " + c.chain(1)
	}
	states.MaintenanceRequired.Transitions[0].Check = "go && " + c.chain(3)
	if c.random.IntN(3) == 0 {
		states.MaintenanceRequired.Transitions = append(states.MaintenanceRequired.Transitions, v1beta1.ProfileTransition{
			Name: "back", Check: "!go && " + c.chain(1), Next: v1beta1.ProfileOperational,
		})
	}
}

func (c *crowd) chain(deep int) string {
	switch n := c.random.IntN(6); {
	case deep == 0 || n == 0:
		return fmt.Sprintf("c%d", c.random.IntN(9))
	case n == 1:
		return "!" + []string{"c0", "c1", "c2", "c4", "c5", "c6", "c7"}[c.random.IntN(7)]
	default:
		return "(" + c.chain(deep-1) + []string{" && ", " && ", " || "}[c.random.IntN(3)] + c.chain(deep-1) + ")"
	}
}

func (c *crowd) set(node int, key, value string) {
	drainertest.Change(c.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("w-%02d", node)}}, func(n *corev1.Node) {
		if value == "" {
			delete(n.Labels, key)
		} else {
			n.Labels[key] = value
		}
	})
}

func (c *crowd) event() {
	switch node := c.random.IntN(30); c.random.IntN(7) {
	case 0, 1, 2:
		c.set(node, "go", "yes")
		c.set(node, "done", "")
	case 3, 4:
		for _, entry := range c.ledger().InMaintenance {
			if c.random.IntN(2) == 0 {
				c.unlabel(entry.Node, "go")
				c.label(entry.Node, "done")
			}
		}
	case 5:
		c.set(node, []string{"ready", "zone"}[c.random.IntN(2)], []string{"", "a", "b"}[c.random.IntN(3)])
		c.set(7, "busy", []string{"", "yes"}[c.random.IntN(2)])
	case 6:
		for i := range 30 {
			if c.random.IntN(3) > 0 {
				c.set(i, []string{"go", "ready"}[c.random.IntN(2)], "yes")
				c.set(i, "done", "")
			}
		}
	}
}

func (c *crowd) term() *term { return c.replicas[0].leading.Load() }

// wantInTurn frees some places, and compares who is granted them, and who waits where, with an evaluation of all.
func (c *crowd) wantInTurn() {
	c.t.Helper()
	a := c.term().admitter
	spec, isFree := a.ledger.Spec(), func() bool { return c.random.IntN(2) == 0 }
	spec.InMaintenance = slices.DeleteFunc(spec.InMaintenance, func(v1beta1.LedgerProfile) bool { return isFree() })
	spec.Pools = slices.DeleteFunc(spec.Pools, func(v1beta1.LedgerPool) bool { return isFree() })
	candidates, again := a.candidates, a.again
	defer func() { a.candidates, a.again = candidates, again }()
	serve := func(all bool) (granted []string, waiting map[string]int, after *v1beta1.MaintenanceLedgerSpec, again time.Time) {
		a.candidates, after = map[string]*candidate{}, spec.DeepCopy()
		for name, waits := range candidates {
			copied := *waits
			if all {
				copied.refused = ""
			}
			a.candidates[name] = &copied
		}
		grants, waiting := a.serve(c.t.Context(), after)
		return slices.Sorted(maps.Keys(grants)), waiting, after, a.again
	}
	got, gotWaiting, gotAfter, gotAgain := serve(false)
	want, wantWaiting, wantAfter, wantAgain := serve(true)
	if !slices.Equal(got, want) || !maps.Equal(gotWaiting, wantWaiting) || !equality.Semantic.DeepEqual(gotAfter, wantAfter) || !gotAgain.Equal(wantAgain) {
		c.t.Errorf("%v are granted something, and %v wait until %s, want %v, %v, and %s", got, gotWaiting, gotAgain, want, wantWaiting, wantAgain)
	}
	c.granted += len(want)
}

// wantNobodyLeft looks more than once: what could go when it is looked for the first time may be about to.
func (c *crowd) wantNobodyLeft() {
	c.t.Helper()
	left := c.left()
	for range 3 {
		if len(left) == 0 {
			return
		}
		c.wait(5 * time.Second)
		still := c.left()
		left = slices.DeleteFunc(left, func(name string) bool { return !slices.Contains(still, name) })
	}
	for _, name := range left {
		c.t.Errorf("%s is left, and could go, or is to be asked for: %+v", name, c.get(name[:4], name[5:]).Status)
	}
}

// left are those that could go, or for which something else is asked than is to be.
func (c *crowd) left() (names []string) {
	c.answers.mu.Lock()
	defer c.answers.mu.Unlock()
	for _, name := range c.term().keys() {
		if about, ok := c.term().admitter.about(name); ok {
			outcome := c.term().evaluate(about, c.term().admitter.known())
			if outcome.Winner >= 0 || !slices.Equal(c.answers.wanted[name], outcome.Wants) {
				names = append(names, name)
			}
		}
	}
	return names
}

// wantWords compares what all say with an evaluation of each, once the ledger has not changed for two minutes and more.
func (c *crowd) wantWords() {
	c.t.Helper()
	for range 20 {
		before := c.ledger()
		c.wait(2*wordsInterval + 30*time.Second)
		if !equality.Semantic.DeepEqual(before, c.ledger()) {
			continue
		}
		c.quiet++
		a := c.term().admitter
		for _, name := range c.term().keys() {
			about, ok := a.about(name)
			if !ok {
				continue
			}
			outcome, want, got := c.term().evaluate(about, a.known()), about.nodeProfile.Status.DeepCopy(), &about.nodeProfile.Status
			machine.Report(want, outcome, time.Now())
			if place := a.places[name]; place > 0 {
				want.WaitingFor = strings.TrimSuffix(fmt.Sprintf("%s of %d %s: %s", ordinal(place), len(a.places), machine.PlaceWords, want.WaitingFor), ": ")
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				c.t.Errorf("%s says something else (-want +got):\n%s", name, diff)
			}
		}
		return
	}
}
