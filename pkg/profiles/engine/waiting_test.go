// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// Whoever wins, and however: a NodeProfile that waits for a place says which one it has in the queue, of how many, and
// who is in maintenance, as it is now. The first ones say so soon.
func TestWhoWaitsSaysWhatIsDecided(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, 2, func(w *world) {
				random := rand.New(rand.NewPCG(seed, 0))
				nodes := 2 + firstPlaces + random.IntN(5)
				for i := range nodes {
					w.node(fmt.Sprintf("w-%02d", i))
				}
				w.profile("flatcar", ready)
				w.start()
				w.wait(5 * time.Second)
				for i := range nodes { // at once
					w.label(fmt.Sprintf("w-%02d", i), "go")
					w.label(fmt.Sprintf("w-%02d", i), "ready")
				}
				w.wait(2 * time.Second)
				w.wantDecided(nodes)
				for range 10 {
					w.change(random, fmt.Sprintf("w-%02d", random.IntN(nodes)))
					w.wait(time.Duration(random.IntN(20)) * time.Second)
				}
				w.wait(firstInterval + time.Second)
				w.wantDecided(min(firstPlaces, nodes-2))
				w.wait(wordsInterval + 2*time.Second)
				w.wantDecided(nodes)
			})
		})
	}
}

// change has somebody else win: one ends its maintenance, is pushed, or is not ready for a while.
func (w *world) change(random *rand.Rand, node string) {
	switch np := w.get(node, "flatcar"); {
	case np.Status.State == v1beta1.ProfileInMaintenance:
		w.unlabel(node, "go")
		w.label(node, "done")
	case np.Status.State != v1beta1.ProfileMaintenanceRequired || np.Status.Transition != nil:
	case random.IntN(3) == 0 && len(w.inMaintenance()) < w.limit:
		w.decide(node, "flatcar", v1beta1.ProfilePush, "start")
	case hasLabel(w, node, "ready"):
		w.unlabel(node, "ready")
	default:
		w.label(node, "ready")
	}
}

func hasLabel(w *world, node, label string) bool {
	_, has := drainertest.Get[*corev1.Node](w.Server, "", node).Labels[label]
	return has
}

// inMaintenance are the nodes that count, sorted.
func (w *world) inMaintenance() (nodes []string) {
	for _, entry := range w.ledger().InMaintenance {
		nodes = append(nodes, entry.Node)
	}
	return nodes
}

// wantDecided compares what those say that wait, of the first ones in the queue, with who is in maintenance.
func (w *world) wantDecided(first int) {
	w.t.Helper()
	var waiting []*v1beta1.NodeProfile
	w.Locked(func() {
		for _, np := range drainertest.All[*v1beta1.NodeProfile](w.Store) {
			node := drainertest.Find[*corev1.Node](w.Store, "", np.Spec.NodeName)
			if _, is := node.Labels["ready"]; is && np.Status.State == v1beta1.ProfileMaintenanceRequired && np.Status.Transition == nil {
				waiting = append(waiting, np)
			}
		}
	})
	slices.SortFunc(waiting, func(a, b *v1beta1.NodeProfile) int {
		return cmp.Or(a.Status.Since.Compare(b.Status.Since.Time), cmp.Compare(a.Name, b.Name))
	})
	counted := w.inMaintenance()
	if len(counted) < w.limit {
		w.t.Fatalf("only %v are in maintenance, and %d wait", counted, len(waiting))
	}
	for i, np := range waiting[:min(first, len(waiting))] {
		want := fmt.Sprintf("%s of %d that wait for a place: max: %d of 2 nodes in maintenance (%s, %s)",
			ordinal(i+1), len(waiting), len(counted), counted[0], counted[1])
		if np.Status.WaitingFor != want {
			w.t.Errorf("%s waits for %q, want %q", np.Name, np.Status.WaitingFor, want)
		}
	}
}

// What a person has decided shows at once, also if it changes words alone.
func TestDecisionsShowAtOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			two := int32(2)
			s.Checks = append(s.Checks, v1beta1.ProfileCheck{Name: "ok", Approval: &v1beta1.ApprovalCheck{Approvers: &two}})
			s.States.MaintenanceRequired.Transitions[0].Check = "max && ok"
		})
		w.start()
		w.wait(time.Second)
		for _, want := range []string{"ok: 0 of 2 approvals", "ok: 1 of 2 approvals (alice)", "ok: 0 of 2 approvals"} {
			if got := w.get("w-1", "flatcar").Status.WaitingFor; got != want {
				t.Errorf("it waits for %q, want %q", got, want)
			}
			if want == "ok: 0 of 2 approvals" {
				w.decide("w-1", "flatcar", v1beta1.ProfileApprove, "start")
			} else {
				w.changeDecisions("w-1", "flatcar", nil)
			}
			w.wait(time.Second)
		}
	})
}

// Profiles whose evaluations take long do not hold up those of others.
func TestSlowProfilesWaitForEachOther(t *testing.T) {
	inWorld(t, 0, func(w *world) {
		w.node("w-1")
		w.profile("quick")
		for i := range 3 * workers {
			w.profile(fmt.Sprint("slow-", i))
		}
		w.start(func(c *Config) {
			evaluate := c.Evaluate
			c.Evaluate = func(facts evaluation.Facts) evaluation.Outcome {
				if strings.HasPrefix(facts.Profile.Name, "slow") {
					time.Sleep(10 * time.Second)
				}
				return evaluate(facts)
			}
		})
		w.wait(5 * time.Minute)
		w.label("w-1", "other") // all are evaluated again
		w.wait(time.Second)
		w.label("w-1", "go")
		w.wait(2 * time.Second)
		w.wantState("quick", v1beta1.ProfileInMaintenance, "w-1")
		w.wait(10 * time.Minute)
		for i := range 3 * workers {
			if state := w.get("w-1", fmt.Sprint("slow-", i)).Status.State; state != v1beta1.ProfileMaintenanceRequired && state != v1beta1.ProfileInMaintenance {
				t.Errorf("slow-%d is %s: nobody has looked at it", i, state)
			}
		}
	})
}
