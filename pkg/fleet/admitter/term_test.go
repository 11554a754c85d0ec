// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// A leader is suspended in the middle of its work until its lease is over, and resumed when another one has admitted
// others.
func TestSuspendedLeaderAdmitsNothingMore(t *testing.T) {
	tests := map[string]func(r *replica){
		"before it writes the ledger": func(r *replica) { r.client.before = r.client.close },
		"before it cordons what it has admitted": func(r *replica) {
			r.pauseBefore("acquire")
		},
	}
	for name, suspend := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 3, func(w *world) {
				w.nodes(50)
				w.policy("workers", maxConcurrent(3))
				first := w.start()
				suspend(first)
				w.holds(50)
				w.settle()
				w.wantCordoned()
				first.client.close()
				w.start()
				w.finish(10)
				first.client.before = nil
				first.client.open()
				first.hand.open()
				w.settle()
				first.stop() // its lease is over, and it has noticed
				w.finish(w.held())
				if left := w.cordoned(); len(left) > 0 {
					t.Errorf("%v are cordoned still", left)
				}
			})
		})
	}
}

// finish ends the maintenance of nodes, as soon as they are cordoned, of that many.
func (w *world) finish(count int) {
	w.t.Helper()
	for range 20 * count {
		if count <= 0 {
			return
		}
		for _, node := range w.cordoned() {
			if hold := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", node); hold != nil && hold.DeletionTimestamp.IsZero() {
				w.end(node)
				count--
			}
		}
		w.wait(500 * time.Millisecond)
	}
	w.t.Errorf("%d maintenances have not begun; ledger %+v", count, w.ledger())
}

// A process is killed between any two steps. The next one goes on, and the limit is kept.
func TestKillBetweenSteps(t *testing.T) {
	for _, step := range []string{"write", "answer", "record", "acquire", "cordon", "give back", "release", "end"} {
		t.Run(step, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.nodes(3)
				w.policy("workers", maxConcurrent(1))
				first := w.start()
				first.dieBefore(step)
				w.holds(3)
				w.settle()
				for _, node := range w.cordoned() {
					w.end(node)
				}
				w.settle()
				if !first.dead() {
					t.Fatal("it was not killed")
				}
				first.stop()
				w.start()
				w.finish(w.held())
				w.settle()
				if entries := w.ledger().Entries; len(w.cordoned()) > 0 || len(entries) > 0 {
					t.Errorf("%v are cordoned, and the ledger says %+v", w.cordoned(), entries)
				}
			})
		})
	}
}

// A hold goes after its node was let pass, and before that is cordoned. The node counts until the drainer has released it.
func TestCordonThatIsUnderWayCounts(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		r.pauseBefore("cordon")
		w.hold("w-1")
		w.settle()
		w.Remove(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
		w.hold("w-2")
		w.settle()
		if entries := w.ledger().Entries; len(entries) != 1 || entries[0].Node != "w-1" {
			t.Errorf("the ledger says %+v, want w-1", entries)
		}
		r.hand.open()
		w.settle()
		w.wantCordoned("w-2")
	})
}

// Another writer is first. The decision is discarded as a whole: no revision of the ledger has a node for one of its two
// policies alone.
func TestConflictAdmitsNoHalf(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.nodes(6)
		w.policy("workers", maxConcurrent(3))
		w.policy("web", maxConcurrent(2))
		r := w.start()
		conflicts := 0
		r.client.before = func() {
			if conflicts++; conflicts%2 == 1 {
				drainertest.Change(w.Server, w.stored(), func(l *v1beta1.MaintenanceLedger) { l.Annotations = map[string]string{"by": fmt.Sprint(conflicts)} })
			}
		}
		w.holds(6)
		w.finish(6)
		if conflicts < 3 {
			t.Errorf("there were only %d writes", conflicts)
		}
		for _, ledger := range w.ledgers {
			for _, entry := range ledger.Spec.Entries {
				if len(entry.Policies) != 2 {
					t.Errorf("entry %+v is not for both policies", entry)
				}
			}
		}
	})
}

func (w *world) stored() *v1beta1.MaintenanceLedger {
	return drainertest.Get[*v1beta1.MaintenanceLedger](w.Server, "", v1beta1.LedgerName)
}

// The answer to a write is lost. What was written counts.
func TestLostAnswerOfAWrite(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		w.start()
		w.Inject(losing("update", "maintenanceledgers"))
		w.holds(2)
		w.wait(300 * time.Millisecond)
		w.Heal()
		w.settle()
		w.wantCordoned("w-1")
		if epoch := w.ledger().Epoch; epoch != 1 {
			t.Errorf("the epoch is %d, want 1", epoch)
		}
		w.finish(2)
	})
}

// A decision that took too long is not written.
func TestOldDecisionIsDiscarded(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(1)
		w.policy("workers", maxConcurrent(1))
		var takes atomic.Int64
		takes.Store(int64(6 * time.Second))
		w.start(func(c *Config) {
			decide := c.Decide
			if decide == nil {
				decide = decision.Decide
			}
			c.Decide = func(f decision.Facts) decision.Outcome {
				time.Sleep(time.Duration(takes.Load()))
				return decide(f)
			}
		})
		w.holds(1)
		w.wait(time.Minute)
		w.wantCordoned()
		takes.Store(int64(4 * time.Second))
		w.wait(time.Minute)
		w.wantCordoned("w-1")
	})
}

// Another process keeps the ledger. This one decides nothing more, until it has led for long.
func TestDeposedTermStops(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		drainertest.Change(w.Server, w.stored(), func(l *v1beta1.MaintenanceLedger) { l.Spec.Epoch = 7 })
		w.holds(2)
		w.wait(30 * time.Second)
		w.wantCordoned()
		if answer := r.admitter.Admitted(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1")); answer.Known {
			t.Errorf("it says %+v, want nothing", answer)
		}
		w.wait(beginAgain)
		w.wantCordoned("w-1")
		if epoch := w.ledger().Epoch; epoch != 8 {
			t.Errorf("the epoch is %d, want 8", epoch)
		}
	})
}
