// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// The drainer asks to pass, for a hold that has gone, after it was seen that it had not, and before the node is looked at.
func TestNodeThatLeavesIsNotLetPass(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.nodes(1)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		r.pauseBefore("acquire")
		w.hold("w-1")
		w.settle()
		hold := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1")
		node := drainertest.Get[*corev1.Node](w.Server, "", "w-1")
		term, asked := r.admitter.leading.Load(), 0
		w.Inject(func(action clienttesting.Action) (bool, error) {
			if action.GetVerb() == "get" && action.GetResource().Resource == "nodes" {
				asked++
				if _, _, known := term.letPass(w.t.Context(), node, []*v1beta1.NodeMaintenance{hold}); known {
					t.Error("the node was let pass while its entry was about to end")
				}
			}
			return false, nil
		})
		w.Remove(hold)
		w.settle()
		if entries := w.ledger().Entries; asked == 0 || len(entries) > 0 {
			t.Errorf("the node was looked at %d times, and the ledger says %+v", asked, entries)
		}
		if _, _, known := term.letPass(w.t.Context(), node, nil); !known {
			t.Error("the node is refused after its entry has ended")
		}
	})
}

// The hold of a node goes after the drainer was let pass, and the drainer neither cordons the node nor releases it, as when a
// person has cordoned it. The entry ends all the same.
func TestEntryEndsWithoutARelease(t *testing.T) {
	tests := map[string]func(*corev1.Node){
		"in service":           func(*corev1.Node) {},
		"cordoned by a person": drainertest.Cordon,
		"held by another server": func(n *corev1.Node) {
			n.Annotations = map[string]string{v1beta1.HoldsAnnotation: `{"storeID":"another"}`}
			drainertest.Taint(v1beta1.DrainTaint)(n)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.nodes(1)
				w.policy("workers", maxConcurrent(1))
				r := w.start()
				r.dieBefore("cordon")
				w.hold("w-1")
				w.settle()
				if entries := w.ledger().Entries; !r.dead() || len(entries) != 1 {
					t.Fatalf("the ledger says %+v, want the node that was let pass", entries)
				}
				drainertest.Change(w.Server, drainertest.Get[*corev1.Node](w.Server, "", "w-1"), change)
				w.Remove(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
				w.wait(unsureLasts + time.Second)
				if entries := w.ledger().Entries; len(entries) > 0 {
					t.Errorf("the ledger says %+v, want nothing", entries)
				}
			})
		})
	}
}

// A node was let pass without an entry, and its hold goes before the cordon. The node does not count as out of service.
func TestNodeThatWasLetPassIsForgotten(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		w.policy("others", func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector.MatchLabels["pool"] = "db" })
		r := w.start()
		r.dieBefore("cordon")
		w.hold("w-1")
		w.settle()
		unavailable := func() int32 {
			return drainertest.Get[*v1beta1.MaintenancePolicy](w.Server, "", "workers").Status.Unavailable
		}
		w.policy("workers")
		w.settle()
		if got := unavailable(); got != 1 {
			t.Errorf("%d nodes are unavailable, want the one that may be cordoned at any moment", got)
		}
		w.Remove(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"))
		w.wait(time.Minute)
		if got, entries := unavailable(), w.ledger().Entries; got != 0 || len(entries) > 0 {
			t.Errorf("%d nodes are unavailable, and the ledger says %+v; want none", got, entries)
		}
	})
}

// Another server's marks on the node, or a taint of the same name, are none of ours: the entry ends all the same.
func TestOthersMarksDoNotKeepTheEntry(t *testing.T) {
	tests := map[string]func(*corev1.Node){
		"a taint": func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: v1beta1.DrainTaint, Value: "theirs", Effect: corev1.TaintEffectNoExecute}}
		},
		"an annotation": func(n *corev1.Node) {
			n.Annotations = map[string]string{v1beta1.HoldsAnnotation: `{"storeID":"another"}`}
		},
	}
	for name, mark := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.nodes(2)
				w.policy("workers", maxConcurrent(1))
				r := w.start()
				w.hold("w-1")
				w.settle()
				w.wantCordoned("w-1")
				r.pauseBefore("end")
				w.end("w-1")
				w.settle()
				drainertest.Change(w.Server, drainertest.Get[*corev1.Node](w.Server, "", "w-1"), mark)
				r.hand.open()
				w.hold("w-2")
				w.settle()
				w.wantCordoned("w-2")
			})
		})
	}
}

// A node is given back, and keeps the taint of another server. That wakes the decider.
func TestGiveBackOfNodeWithOthersTaintIsSeen(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		term, _ := w.leavingTerm(0, 0)
		held := drainertest.Node{Name: "w-1", HoldsNote: ourNote, Change: drainertest.Taint(v1beta1.DrainTaint)}.Object()
		given := held.DeepCopy()
		given.Annotations = nil
		for after, want := range map[*corev1.Node]int{held: 0, given: 1} {
			term.nodeChanged(held, after)
			if got := len(term.changed); got != want {
				t.Errorf("after a change to %v it was woken %d times, want %d", after.Annotations, got, want)
			}
			for len(term.changed) > 0 {
				<-term.changed
			}
		}
	})
}

// More nodes than are asked for at once are about to leave, and most are in maintenance still. The last one leaves at once.
func TestNodesInMaintenanceDoNotKeepOthersFromLeaving(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		term, names := w.leavingTerm(leavingMost+1, leavingMost)
		left, sure := term.confirmLeft(w.t.Context(), names)
		if last := names[leavingMost]; len(left) != 1 || !left[last] || !sure {
			t.Errorf("left are %v, which is sure: %t; want only %s, and that to be sure", left, sure, last)
		}
	})
}

// There is no time to ask for all nodes.
func TestNodesThatWereNotAskedForAreUnsure(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		term, names := w.leavingTerm(2, 0)
		ended, end := context.WithCancel(w.t.Context())
		end()
		if left, sure := term.confirmLeft(ended, names); sure || left[names[0]] {
			t.Errorf("left are %v, which is sure: %t", left, sure)
		}
	})
}

// leavingTerm is a term whose ledger has that many nodes that nobody holds, of which so many are still in maintenance.
func (w *world) leavingTerm(count, marked int) (t *term, names []string) {
	r, ledger := w.start(), &v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName}}
	r.pauseBefore("give back")
	for i := range count {
		node := drainertest.Node{Name: fmt.Sprintf("n-%04d", i)}
		if i < marked {
			node.HoldsNote = ourNote
		}
		object := node.Object()
		w.Add(object)
		names = append(names, node.Name)
		ledger.Spec.Entries = append(ledger.Spec.Entries, v1beta1.LedgerEntry{Node: node.Name, NodeUID: object.UID})
	}
	w.settle()
	t, stop := r.admitter.newTerm(func(string) {})
	stop()
	w.Add(ledger)
	if err := t.ledger.Read(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return t, names
}

// A node without a policy was labelled into one, which the watch does not show yet.
func TestRelabelledNodeIsNotLetPass(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		w.policy("others", func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector.MatchLabels["pool"] = "db" })
		r := w.start()
		r.dieBefore("record")
		w.hold("w-1")
		w.settle()
		holds := []*v1beta1.NodeMaintenance{drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1")}
		node := drainertest.Get[*corev1.Node](w.Server, "", "w-1")
		relabelled := node.DeepCopy()
		relabelled.Labels["pool"] = "db"
		if _, err := r.admitter.Acquire(w.t.Context(), relabelled, holds); !apierrors.IsConflict(err) {
			t.Errorf("got %v, want a conflict", err)
		}
		if _, err := r.admitter.Acquire(w.t.Context(), node, holds); err != nil {
			t.Errorf("the node with the labels that were decided about does not pass: %v", err)
		}
	})
}

// Only a node that a policy may select is worth a decision when somebody asks.
func TestConcerned(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		w.Add(drainertest.Node{Name: "d-1", Labels: map[string]string{"pool": "db"}}.Object())
		r := w.start()
		wantConcerned := func(when string, want map[string]bool) {
			t.Helper()
			for node, concerned := range want {
				if got := r.admitter.Concerned(node); got != concerned {
					t.Errorf("%s: node %s is concerned: %t, want %t", when, node, got, concerned)
				}
			}
		}
		wantConcerned("without policies", map[string]bool{"w-1": false, "unknown": false})
		w.policy("workers")
		w.settle()
		wantConcerned("with one", map[string]bool{"w-1": true, "d-1": false, "unknown": true})
		w.policy("invalid", func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector = nil })
		w.settle()
		wantConcerned("with one that cannot be applied", map[string]bool{"d-1": true})
	})
}

// A node that release gates let go takes its time to be given back. The ledger is not written meanwhile.
func TestLedgerIsNotWrittenWhileANodeIsLetGo(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) {
			s.Gates = &v1beta1.PolicyGates{Release: []v1beta1.PolicyGate{{DaemonSetPodsReady: true}}}
		})
		r := w.start()
		w.hold("w-1")
		w.settle()
		r.pauseBefore("give back")
		w.end("w-1")
		w.settle()
		r.admitter.KeepsBack("w-1", true)
		r.admitter.KeepsBack("w-1", false)
		w.settle()
		before := len(w.ledgers)
		for range 3 {
			r.admitter.Wake()
			w.settle()
		}
		if writes := len(w.ledgers) - before; writes > 0 {
			t.Errorf("the ledger was written %d times, want none", writes)
		}
	})
}
