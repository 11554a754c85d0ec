// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

type forgery func(*v1beta1.NodeMaintenanceStatus)

// says has a status say that the hold's pods have left, or that they have not.
func says(is metav1.ConditionStatus) forgery {
	return func(s *v1beta1.NodeMaintenanceStatus) {
		apimeta.SetStatusCondition(&s.Conditions, metav1.Condition{Type: v1beta1.ConditionDrained, Status: is, Reason: "Forged"})
	}
}

func starts(after time.Duration) forgery {
	return func(s *v1beta1.NodeMaintenanceStatus) {
		s.StartTime = ptr.To(metav1.NewTime(time.Now().Add(after)))
	}
}

// forge writes a status as somebody else than the drainer.
func (c *cluster) forge(name string, change forgery) {
	c.t.Helper()
	drainertest.Change(c.Server, c.hold(name), func(hold *v1beta1.NodeMaintenance) { change(&hold.Status) })
}

// What others write into a status is put right at once, and no event tells of what did not happen.
func TestForgedStatusIsPutRight(t *testing.T) {
	forgeries := map[string]forgery{
		"all of it lost": func(s *v1beta1.NodeMaintenanceStatus) {
			*s = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending}
		},
		"drained":          says(metav1.ConditionTrue),
		"not drained":      says(metav1.ConditionFalse),
		"no conditions":    func(s *v1beta1.NodeMaintenanceStatus) { s.Conditions = nil },
		"phase":            func(s *v1beta1.NodeMaintenanceStatus) { s.Phase = v1beta1.PhaseFailed },
		"an earlier start": starts(-time.Hour),
		"a later start":    starts(time.Hour),
		"no start":         func(s *v1beta1.NodeMaintenanceStatus) { s.StartTime = nil },
		"another deadline": func(s *v1beta1.NodeMaintenanceStatus) { s.Deadline = ptr.To(metav1.NewTime(time.Now())) },
		"progress":         func(s *v1beta1.NodeMaintenanceStatus) { s.DrainProgress = ptr.To[int32](99) },
		"counts":           func(s *v1beta1.NodeMaintenanceStatus) { s.EvictionPods, s.TotalPods, s.SkippedPodCount = 90, 90, 90 },
		"blockers": func(s *v1beta1.NodeMaintenanceStatus) {
			s.Blockers, s.BlockedPodCount = []v1beta1.DrainBlocker{{Pod: "a/b", Reason: "X"}}, 1
		},
		"before":       func(s *v1beta1.NodeMaintenanceStatus) { s.NodeBefore = &v1beta1.NodeBefore{Unschedulable: true} },
		"no before":    func(s *v1beta1.NodeMaintenanceStatus) { s.NodeBefore = nil },
		"another node": func(s *v1beta1.NodeMaintenanceStatus) { s.NodeUID = "another" },
		"when it changed": func(s *v1beta1.NodeMaintenanceStatus) {
			s.LastUpdate = ptr.To(metav1.NewTime(time.Now().Add(time.Hour)))
		},
		"the last error":    func(s *v1beta1.NodeMaintenanceStatus) { s.LastError = "forged" },
		"when it is over":   func(s *v1beta1.NodeMaintenanceStatus) { s.ExpirationTime = ptr.To(metav1.NewTime(time.Now())) },
		"the observed spec": func(s *v1beta1.NodeMaintenanceStatus) { s.ObservedGeneration = 7 },
	}
	holds := map[string]drainertest.Hold{
		"draining": {Name: "a", TimeoutSeconds: 600, DeleteOnTimeout: true},
		"drained":  {Name: "a", TimeoutSeconds: 600, SelectApp: "db"},
		"cordoned": {Name: "a", Stage: v1beta1.StageCordon},
		"idle":     {Name: "a", Stage: v1beta1.StageIdle},
	}
	for state, hold := range holds {
		for name, forge := range forgeries {
			t.Run(state+", "+name, func(t *testing.T) {
				inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "web-2"}.Object()), func(c *cluster) {
					hold.Created = time.Now()
					c.create(hold.Object())
					c.wait(10 * time.Second)
					want := *c.hold("a").Status.DeepCopy()
					c.events()
					c.forge("a", forge)
					c.wait(3 * holdstatus.WriteInterval)
					if diff := cmp.Diff(want, c.hold("a").Status, cmpopts.IgnoreFields(v1beta1.NodeMaintenanceStatus{}, "LastUpdate")); diff != "" {
						t.Errorf("the status (-before +after it was forged):\n%s", diff)
					}
					if last := c.hold("a").Status.LastUpdate; last == nil || last.After(time.Now()) {
						t.Errorf("the status says that it changed at %s, want a time that has come", last)
					}
					if told := c.events(); len(told) > 0 {
						t.Errorf("events %v, want none: nothing has happened", told)
					}
					c.delete("a")
					c.finishTerminating()
					c.wantCordoned(drainertest.NodeName, false)
				})
			})
		}
	}
}

// finishTerminating ends the pods that are being deleted.
func (c *cluster) finishTerminating() {
	c.t.Helper()
	for _, pod := range drainertest.All[*corev1.Pod](c.Store) {
		if !pod.DeletionTimestamp.IsZero() {
			c.finish(pod.Name)
		}
	}
}

// After a restart there is only the store to go by: what cannot be true is not believed.
func TestStatusFoundAtTheStart(t *testing.T) {
	tests := map[string]struct {
		forge     forgery
		wantStart func(before, found, restarted time.Time) time.Time
	}{
		"as it was": {
			forge: func(*v1beta1.NodeMaintenanceStatus) {}, wantStart: func(before, _, _ time.Time) time.Time { return before },
		},
		"a start that is to come": {forge: starts(time.Hour), wantStart: func(_, _, restarted time.Time) time.Time { return restarted }},
		"a start before the hold": {forge: starts(-time.Hour), wantStart: func(_, _, restarted time.Time) time.Time { return restarted }},
		"another deadline": {
			forge:     func(s *v1beta1.NodeMaintenanceStatus) { s.Deadline = ptr.To(metav1.NewTime(time.Now())) },
			wantStart: func(before, _, _ time.Time) time.Time { return before },
		},
		"drained, without a time": {forge: says(metav1.ConditionTrue), wantStart: func(_, _, restarted time.Time) time.Time { return restarted }},
		"drained, and no pod came": {
			forge: func(s *v1beta1.NodeMaintenanceStatus) {
				says(metav1.ConditionTrue)(s)
				s.DrainedTime = ptr.To(metav1.NewTime(time.Now().Add(-time.Second)))
			},
			wantStart: func(_, _, restarted time.Time) time.Time { return restarted },
		},
		"all of it lost": {
			forge: func(s *v1beta1.NodeMaintenanceStatus) {
				*s = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending}
			},
			wantStart: func(_, _, restarted time.Time) time.Time { return restarted },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 600, Created: time.Now()}.Object())
				before := c.hold("a").Status.StartTime.Time
				c.wait(10 * time.Second)
				c.stop()
				c.forge("a", test.forge)
				c.events()
				restarted := time.Now()
				c.start()
				c.wait(3 * holdstatus.WriteInterval)

				status := c.hold("a").Status
				want := test.wantStart(before, c.hold("a").CreationTimestamp.Time, restarted)
				if status.StartTime == nil || status.StartTime.Sub(want).Abs() > 2*time.Second {
					t.Fatalf("the drain began at %s, want %s", status.StartTime, want)
				}
				if deadline := status.StartTime.Add(10 * time.Minute); !status.Deadline.Time.Equal(deadline) {
					t.Errorf("the deadline is %s, want %s", status.Deadline, deadline)
				}
				c.wantPhase("a", v1beta1.PhaseRunning)
				c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining)
				if status.DrainedTime != nil {
					t.Errorf("it was drained at %s, want never", status.DrainedTime)
				}
				if told := c.events(); slices.Contains(told, holdstatus.EventDrainRestarted) {
					t.Errorf("events %v pretend that pods came back", told)
				}
			})
		})
	}
}

// A pod that really came while no server ran is told of.
func TestPodThatCameWhileNoServerRan(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Created: time.Now()}.Object())
		c.wait(10 * time.Second)
		c.stop()
		c.Add(drainertest.Pod{Name: "late", Change: func(pod *corev1.Pod) { pod.CreationTimestamp = metav1.Now() }}.Object())
		c.events()
		c.start()
		c.wait(holdstatus.WriteInterval)
		c.wantEvent(c.events(), holdstatus.EventDrainRestarted, 2)
		c.wantPhase("a", v1beta1.PhaseRunning)
	})
}

// A hold that only another's finalizer keeps asks for nothing, and says so.
func TestReleasedHoldSaysSo(t *testing.T) {
	for name, other := range map[string][]string{"the last hold": nil, "another hold stays": {"b"}} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", Finalizers: []string{"example.com/audit"}}.Object())
				for _, b := range other {
					c.create(drainertest.Hold{Name: b}.Object())
				}
				c.delete("a")
				c.wait(holdstatus.WriteInterval)
				wantReleased := func() {
					t.Helper()
					c.wantPhase("a", v1beta1.PhasePending)
					c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonReleased)
					c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonReleased)
					want := "this NodeMaintenance was deleted, and node worker-1 needs it no more: only other finalizers keep it (example.com/audit)"
					if got := holdstatus.ConditionMessage(c.hold("a").Status, v1beta1.ConditionCordoned); got != want {
						t.Errorf("it says %q, want %q", got, want)
					}
				}
				wantReleased()
				c.events()
				c.forge("a", says(metav1.ConditionTrue))
				c.wait(3 * holdstatus.WriteInterval)
				wantReleased()
				if told := c.events(); len(told) > 0 {
					t.Errorf("events %v, want none", told)
				}
				c.wantCordoned(drainertest.NodeName, len(other) > 0)
			})
		})
	}
}

// Our own writes of a status have nobody look again: each look costs a plan.
func TestOwnStatusWakesNobody(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(10 * time.Second)
		l := c.drainer.leading.Load()
		own := c.hold("a")
		older := own.DeepCopy()
		older.ResourceVersion = "1"
		if l.statusChanged(older, own) {
			t.Error("our own status counts as another's")
		}
		forged := own.DeepCopy()
		forged.ResourceVersion, forged.Status.Phase = "999", v1beta1.PhaseFailed
		if !l.statusChanged(own, forged) {
			t.Error("another's status counts as ours")
		}
	})
}

// A write was made although it failed. However often the next ones end in a conflict, it is known when the
// cache shows it.
func TestTriedStatusIsKnownAfterManyConflicts(t *testing.T) {
	status := func(pending int) v1beta1.NodeMaintenanceStatus {
		return v1beta1.NodeMaintenanceStatus{PendingPodCount: int32(pending)}
	}
	var s holdstatus.Said
	s.Wrote(status(0))
	s.Tries(status(1)) // the answer is lost
	for i := range 2 * holdstatus.MaxTried {
		s.Tries(status(i + 1))() // refused
	}
	if got := s.Settle(status(1), nil); got.PendingPodCount != 1 {
		t.Errorf("what we last said is %+v, want the write whose answer was lost", got)
	}
}
