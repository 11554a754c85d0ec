// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// Nodes that are held already are adopted with the first write that says anything, and count from then on.
func TestFirstPolicyAdoptsHeldNodes(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.nodes(4)
		w.start()
		w.holds(2)
		w.settle()
		w.wantCordoned("w-1", "w-2")
		w.policy("workers", maxConcurrent(2))
		w.wait(time.Millisecond) // the watches show it, and nothing was decided yet
		w.hold("w-3")
		w.settle()
		w.wantCordoned("w-1", "w-2")
		if said := w.firstEntries(); said != 2 {
			t.Errorf("the first revision that says anything has %d entries, want 2", said)
		}
		w.end("w-1")
		w.settle()
		w.wantCordoned("w-2", "w-3")
	})
}

// firstEntries is how many entries the first revision of the ledger has that has any.
func (w *world) firstEntries() int {
	for _, ledger := range w.ledgers {
		if len(ledger.Spec.Entries) > 0 {
			return len(ledger.Spec.Entries)
		}
	}
	return 0
}

// A policy is created just after a node was let pass without one. The node counts, although its cordon is still to come.
func TestFirstPolicyCountsNodesThatWereLetPass(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(2)
		r := w.start()
		r.pauseBefore("cordon")
		w.hold("w-1")
		w.wait(50 * time.Millisecond)
		w.policy("workers", maxConcurrent(1))
		w.hold("w-2", func(h *v1beta1.NodeMaintenance) { h.Spec.Priority = 100 })
		w.settle()
		if entries := w.ledger().Entries; len(entries) != 1 || entries[0].Node != "w-1" {
			t.Errorf("the ledger says %+v, want w-1", entries)
		}
		r.hand.open()
		w.settle()
		w.wantCordoned("w-1")
	})
}

// The rules change in the middle of a roll. What was admitted goes on, and counts for the new rules.
func TestPolicyChangesMidRoll(t *testing.T) {
	tests := map[string]struct {
		change func(w *world)
		// want are the nodes that are cordoned after the change, and after w-1 was given back.
		want, wantThen []string
	}{
		"nothing":           {change: func(*world) {}, want: []string{"w-1", "w-2"}, wantThen: []string{"w-2", "w-3"}},
		"the limit lowered": {change: func(w *world) { w.changePolicy("workers", maxConcurrent(1)) }, want: []string{"w-1", "w-2"}, wantThen: []string{"w-2"}},
		"another pool selected": {
			change: func(w *world) {
				w.changePolicy("workers", func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector.MatchLabels["zone"] = "b" })
			},
			want: []string{"w-1", "w-2", "w-3"}, wantThen: []string{"w-2", "w-3", "w-4"},
		},
		"deleted and recreated": {
			change: func(w *world) {
				w.deletePolicy("workers")
				w.policy("workers", maxConcurrent(2))
			},
			want: []string{"w-1", "w-2"}, wantThen: []string{"w-2", "w-3"},
		},
		"not readable any more": {change: func(w *world) { w.losePolicy("workers", nil) }, want: []string{"w-1", "w-2"}, wantThen: []string{"w-2"}},
		"readable but for its selector": {
			change: func(w *world) {
				w.losePolicy("workers", &metav1.LabelSelector{MatchLabels: map[string]string{"zone": "b"}})
			},
			want: []string{"w-1", "w-2", "w-3"}, wantThen: []string{"w-2", "w-3"},
		},
		"deleted": {change: func(w *world) { w.deletePolicy("workers") }, want: []string{"w-1", "w-2", "w-3", "w-4"}, wantThen: []string{"w-2", "w-3", "w-4"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, -1, func(w *world) {
				w.nodes(4)
				w.policy("workers", maxConcurrent(2))
				w.start()
				w.holds(4)
				w.settle()
				test.change(w)
				w.settle()
				w.wantCordoned(test.want...)
				w.end("w-1")
				w.settle()
				w.wantCordoned(test.wantThen...)
			})
		})
	}
}

// A node is replaced by another one of its name. The new one is not admitted by the admission of the old one.
func TestNewNodeOfTheNameAsksAnew(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		w.start()
		w.hold("w-1")
		w.settle()
		w.wantCordoned("w-1")
		w.Remove(drainertest.Get[*corev1.Node](w.Server, "", "w-1"))
		w.settle()
		w.hold("w-2")
		w.settle()
		w.wantCordoned("w-2")
		w.Add(drainertest.Node{Name: "w-1", UID: "new", Labels: map[string]string{"pool": "web"}}.Object())
		w.settle()
		w.wantCordoned("w-2")
		w.end("w-2")
		w.settle()
		w.wantCordoned("w-1")
		if entry := w.ledger().Entries[0]; entry.NodeUID != "new" {
			t.Errorf("the entry is %+v, want one for the new node", entry)
		}
	})
}

// The pace is kept however the clocks go: the clock of the leader is set back, or that of its successor is behind.
func TestPaceWithClocksThatGoWrong(t *testing.T) {
	tests := map[string]func(w *world, r *replica){
		"right":              func(*world, *replica) {},
		"set back":           func(_ *world, r *replica) { r.clock.step(-30 * time.Minute) },
		"successor's behind": func(w *world, r *replica) { r.stop(); w.offset = -30 * time.Minute; w.start() },
	}
	for name, goWrong := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, -1, func(w *world) {
				w.nodes(2)
				w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) {
					s.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1), PerSeconds: ptr.To[int64](3600)}
				})
				r := w.start()
				w.holds(2)
				w.settle()
				goWrong(w, r)
				w.wait(55 * time.Minute)
				w.wantCordoned("w-1")
				w.wait(40 * time.Minute)
				w.wantCordoned("w-1", "w-2")
			})
		})
	}
}

// While there are no policies, nothing is asked and nothing is written, whatever starts.
func TestNoPoliciesCostNothing(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(5)
		r := w.start()
		before := r.actions()
		w.holds(5)
		w.hold("w-9", func(h *v1beta1.NodeMaintenance) { h.Spec.NodeName = "w-2" })
		w.settle()
		w.wantCordoned("w-1", "w-2", "w-3", "w-4", "w-5")
		w.finish(5)
		if asked := r.actions() - before; asked > 0 || len(w.ledgers) > 0 {
			t.Errorf("%d requests, %d ledgers, want none", asked, len(w.ledgers))
		}
	})
}

// Without policies a hold waits for spec.notBefore alone.
func TestNotBeforeWithoutPolicies(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		r := w.start()
		w.hold("w-1", func(h *v1beta1.NodeMaintenance) {
			h.Spec.NotBefore = ptr.To(metav1.NewTime(time.Now().Add(time.Hour)))
		})
		w.settle()
		answer := r.admitter.Admitted(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
		if !answer.Known || answer.Stage != v1beta1.StageIdle || answer.Reason != v1beta1.AdmissionNotBefore || answer.Again.IsZero() {
			t.Errorf("it says %+v, want to wait for notBefore", answer)
		}
		w.wantCordoned()
		w.wait(time.Hour)
		w.wantCordoned("w-1")
		if len(w.ledgers) > 0 {
			t.Errorf("there is a ledger: %+v", w.ledgers[0])
		}
	})
}

// What waits starts when the last policy goes, and the ledger goes when nothing is left in it.
func TestLastPolicyGoes(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(3)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.holds(3)
		w.settle()
		w.wantCordoned("w-1")
		w.deletePolicy("workers")
		w.settle()
		w.wantCordoned("w-1", "w-2", "w-3")
		w.finish(3)
		w.settle()
		if stored := w.stored(); stored != nil {
			t.Errorf("the ledger is there still: %+v", stored.Spec)
		}
		before := r.actions()
		w.nodes(4)
		w.hold("w-4")
		w.settle()
		w.wantCordoned("w-4")
		if more := r.actions() - before; more > 0 {
			t.Errorf("%d requests since, want none", more)
		}
	})
}

// Many creates are decided together.
func TestFiftyCreatesTakeAboutTwoWrites(t *testing.T) {
	inWorld(t, 50, func(w *world) {
		w.nodes(50)
		w.policy("workers", maxConcurrent(50))
		r := w.start()
		r.die() // only the decisions are counted
		before := len(w.ledgers)
		for i := range 50 {
			w.hold(fmt.Sprintf("w-%d", i+1))
			w.wait(5 * time.Millisecond)
		}
		w.settle()
		if writes := len(w.ledgers) - before; writes > 3 || len(w.ledger().Entries) != 50 {
			t.Errorf("%d writes, %d entries, want at most 3 and 50", writes, len(w.ledger().Entries))
		}
	})
}

// A policy that the cache does not show yet counts.
func TestPolicyThatTheCacheLacks(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.late = "workers"
		w.nodes(2)
		w.policy("others", func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector.MatchLabels["pool"] = "db" })
		w.start()
		w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) { s.Paused = true })
		w.holds(1)
		w.settle()
		w.wantCordoned()
	})
}

// A hold asks for more than before. A policy that the cache does not show yet counts.
func TestRaisedHoldAndAPolicyThatTheCacheLacks(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.late = "workers"
		w.nodes(1)
		w.policy("others", func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector.MatchLabels["pool"] = "db" })
		r := w.start()
		w.hold("w-1", func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageCordon })
		w.settle()
		w.wantCordoned("w-1")
		w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) { s.Paused = true })
		drainertest.Change(w.Server, drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"), func(h *v1beta1.NodeMaintenance) {
			h.Generation++
			h.Spec.Stage = v1beta1.StageDrain
		})
		w.settle()
		answer := r.admitter.Admitted(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
		if answer.Stage != v1beta1.StageCordon || answer.Reason != v1beta1.AdmissionPaused {
			t.Errorf("the answer is %+v, want the drain to wait", answer)
		}
	})
}

// A hold that cannot be read counts, before and after a restart: its node is in maintenance. Once it is gone, another starts.
func TestUnreadableHoldCounts(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.hold("w-1")
		w.settle()
		drainertest.Lose(w.Server, drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"), func(*v1beta1.NodeMaintenance) {})
		w.hold("w-2")
		w.settle()
		w.wantCordoned("w-1")
		r.stop()
		w.start()
		w.wait(5 * time.Minute)
		w.wantCordoned("w-1")
		w.Remove(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
		w.settle()
		w.wantCordoned("w-2")
	})
}
