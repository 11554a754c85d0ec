// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"testing"
	"time"

	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
)

// failUpdates has the updates of a NodeProfile fail that are so.
func (w *world) failUpdates(name string, fails func(*v1beta1.NodeProfile) bool) {
	w.Inject(func(request clienttesting.Action) (bool, error) {
		update, is := request.(clienttesting.UpdateAction)
		if !is {
			return false, nil
		}
		np, is := update.GetObject().(*v1beta1.NodeProfile)
		if !is || np.Name != name || !fails(np) {
			return false, nil
		}
		return false, drainertest.ServerDown()
	})
}

// failRunning keeps the transition of a NodeProfile from beginning.
func (w *world) failRunning(name string) {
	w.failUpdates(name, func(np *v1beta1.NodeProfile) bool {
		transition := np.Status.Transition
		return transition != nil && len(transition.Steps) > 0 && transition.Steps[0].State == v1beta1.StepRunning
	})
}

// allHolds are the NodeMaintenances. The server's lock is held.
func allHolds(w *world) []*v1beta1.NodeMaintenance {
	return drainertest.All[*v1beta1.NodeMaintenance](w.Store)
}

// ready has a profile become ready for maintenance with a label of its own.
func ready(s *v1beta1.MaintenanceProfileSpec) {
	s.Checks = append(s.Checks, v1beta1.ProfileCheck{Name: "ready", NodeLabel: &v1beta1.KeyValueCheck{Key: "ready"}})
	s.States.MaintenanceRequired.Transitions[0].Check = "max && ready"
}

// What was granted for one transition is not used for another one.
func TestGrantIsForWhatItWasAskedFor(t *testing.T) {
	pool, other := &v1beta1.StaggerCheck{Pool: "p", Seconds: 30}, &v1beta1.StaggerCheck{Pool: "q", Seconds: 30}
	for name, test := range map[string]struct {
		granted, asks places.Need
		want          bool
	}{
		"the same":            {places.Need{Maintenance: true, Pools: []*v1beta1.StaggerCheck{pool}}, places.Need{Maintenance: true, Pools: []*v1beta1.StaggerCheck{pool}}, true},
		"less":                {places.Need{Maintenance: true, Pools: []*v1beta1.StaggerCheck{pool}}, places.Need{Maintenance: true}, true},
		"maintenance as well": {places.Need{Pools: []*v1beta1.StaggerCheck{pool}}, places.Need{Maintenance: true, Pools: []*v1beta1.StaggerCheck{pool}}, false},
		"another pool":        {places.Need{Pools: []*v1beta1.StaggerCheck{pool}}, places.Need{Pools: []*v1beta1.StaggerCheck{other}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			np := &v1beta1.NodeProfile{}
			np.Name = "w-1.flatcar"
			a := newAdmitter(nil, nil)
			a.pending[np.Name] = pending{Grant: places.GrantFor(np), need: test.granted}
			if got := a.granted(np, test.asks); got != test.want {
				t.Errorf("granted %t, want %t", got, test.want)
			}
			if len(a.pending) == 1 != test.want {
				t.Errorf("%d grants are left, want that one that is not used is nobody's", len(a.pending))
			}
		})
	}
}

// A profile that makes the granting panic holds up no other.
func TestPanicWhileGranting(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1")
		w.node("w-2", "go")
		w.profile("broken")
		w.profile("esx", func(s *v1beta1.MaintenanceProfileSpec) { s.Priority = 1 })
		w.start(func(c *Config) {
			c.Evaluate = func(f evaluation.Facts) evaluation.Outcome {
				if _, boom := f.Node.Labels["boom"]; boom && f.Profile.Name == "broken" {
					panic("boom")
				}
				return evaluation.Evaluate(f)
			}
		})
		w.wait(20 * time.Second)
		w.wantState("esx", v1beta1.ProfileInMaintenance, "w-2")
		w.label("w-1", "go")
		w.wait(20 * time.Second)
		w.wantState("broken", v1beta1.ProfileMaintenanceRequired, "w-1", "w-2")
		w.label("w-1", "boom")
		w.label("w-2", "boom")
		w.unlabel("w-2", "go")
		w.label("w-2", "done")
		w.wait(time.Minute)
		w.wantState("esx", v1beta1.ProfileInMaintenance, "w-1")
	})
}

// A NodeProfile that cannot be written holds up no other.
func TestOneThatCannotBeWrittenHoldsUpNoOther(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		for _, node := range []string{"w-1", "w-2"} {
			w.node(node, "go")
		}
		w.profile("flatcar", ready)
		w.start()
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1", "w-2")
		w.failUpdates("w-1.flatcar", func(*v1beta1.NodeProfile) bool { return true })
		w.label("w-1", "ready")
		w.wait(20 * time.Second)
		w.label("w-2", "ready")
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-2")
		w.replicas[0].stop()
		w.node("w-3", "go", "ready")
		w.unlabel("w-2", "ready")
		w.label("w-2", "done")
		w.start() // the next one that leads begins all the same
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-3")
		w.Heal()
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
	})
}

// The place of a pool is given back once it is stored that the transition has not begun, and not before.
func TestPlaceIsGivenBackAfterTheWrite(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.Checks[3].Stagger.Seconds = 3600
			s.States.MaintenanceRequired.Transitions[0].Check = "max && stagger && go"
		})
		w.failUpdates("w-1.flatcar", func(np *v1beta1.NodeProfile) bool {
			return np.Status.Attempt > 0 && (np.Status.Transition == nil || np.Status.Transition.Steps[0].State == v1beta1.StepRunning)
		})
		w.start()
		w.wait(3 * time.Minute)
		if got := w.ledger().Pools; len(got) != 1 || len(got[0].Grants) != 1 {
			t.Errorf("the pools are %+v, want that the place is taken", got)
		}
		w.unlabel("w-1", "go")
		w.Heal()
		w.wait(3 * time.Minute)
		if got := w.ledger().Pools; len(got) != 0 {
			t.Errorf("the pools are %+v, want that the place was given back", got)
		}
	})
}

// What is granted while another transition begins is nobody's.
func TestGrantOfAnotherTransition(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.outside.answer = func(action.Step, int) (action.Progress, error) {
			return action.Waiting("for the firmware", time.Time{}), nil
		}
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.Operational.Transitions[0].Triggers = []string{"hook"}
		})
		r := w.start()
		w.wait(20 * time.Second)
		a, np := r.leading.Load().admitter, w.get("w-1", "flatcar")
		a.publish(map[string]pending{np.Name: {Grant: places.GrantFor(np), need: places.Need{Maintenance: true}, at: time.Now()}}, nil, 0)
		w.wait(20 * time.Second)
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.pending) > 0 {
			t.Errorf("%+v is granted still", a.pending)
		}
	})
}

// Nodes that come and go leave nothing behind in memory.
func TestNodesThatComeAndGo(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.NodeGoneSeconds = new(int64) })
		r := w.start()
		for i := range 5 {
			name := fmt.Sprintf("s-%d", i)
			w.node(name, "go")
			w.wait(10 * time.Second)
			w.Remove(newNode(name, name+"-uid"))
			w.wait(time.Minute)
			if got := w.get(name, "flatcar"); got != nil {
				t.Fatalf("%+v is there still", got)
			}
		}
		got := r.leading.Load()
		sizes := []int{
			len(got.pairs.of), got.latest.Len(), len(got.written.at), len(got.kept.of),
			len(got.admitter.candidates), len(got.admitter.pending), len(got.admitter.depends), len(got.admitter.places),
		}
		for i, size := range sizes {
			if size > 1 { // that of w-1
				t.Errorf("map %d has %d entries: %v", i, size, sizes)
			}
		}
	})
}

// The last profile leaves nothing in the ledger, even if that cannot be written at once.
func TestNothingIsLeftInTheLedger(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.OnDetach = v1beta1.DetachRelease })
		r := w.start()
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.Inject(func(request clienttesting.Action) (bool, error) {
			if request.GetVerb() == "update" && request.GetResource().Resource == "maintenanceledgers" {
				return false, drainertest.ServerDown()
			}
			return false, nil
		})
		deleteProfile(w)
		w.wait(time.Minute)
		w.Heal()
		w.wait(time.Minute)
		if got := w.ledger().InMaintenance; len(got) > 0 || r.leading.Load() != nil {
			t.Errorf("the ledger has %+v, leading %t, want nothing left", got, r.leading.Load() != nil)
		}
	})
}
