// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// fakeFormer has left the same on each node.
type fakeFormer struct {
	adopted sapdata.Adoption
	err     error
	looks   atomic.Int32
}

func (f *fakeFormer) Adopt(context.Context, *corev1.Node, *v1beta1.MaintenanceProfile) (sapdata.Adoption, bool, error) {
	return f.adopted, true, f.err
}
func (*fakeFormer) Has(*corev1.Node, *v1beta1.MaintenanceProfile) bool { return true }
func (f *fakeFormer) Where(*corev1.Node, *v1beta1.MaintenanceProfile) (v1beta1.ProfileState, time.Time, bool) {
	return f.adopted.State, f.adopted.Since, f.err == nil
}
func (f *fakeFormer) Look() { f.looks.Add(1) }

// A profile goes on from where the controller before was, and releases the node as one that was in service before.
func TestAdopts(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		since := time.Now().Add(-time.Hour).Truncate(time.Second)
		former := &fakeFormer{adopted: sapdata.Adoption{
			State: v1beta1.ProfileInMaintenance, Previous: v1beta1.ProfileInMaintenance, Since: since, Hold: v1beta1.StageDrain, Cordoned: true,
			Pools: []v1beta1.LedgerPool{{Name: "kube-system/p", Grants: []v1beta1.LedgerGrant{
				{Node: "w-1", Profile: "flatcar", Time: metav1.NewMicroTime(time.Now()), Seconds: 3600},
			}}},
			Warnings: []string{"look at it"},
		}}
		w.node("w-1")
		w.profile("flatcar")
		var other atomic.Bool
		other.Store(true)
		r := w.start(func(c *Config) {
			c.Former, c.Notify = former, Notify
			c.Other = func(string) string {
				if other.Load() {
					return "the controller"
				}
				return ""
			}
		})
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		if r.Adopted("w-1") {
			t.Error("it says that everything was adopted, and the controller runs")
		}
		other.Store(false)
		r.ClusterChanged()
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		got := w.get("w-1", "flatcar").Status
		if !got.Since.Time.Equal(since) || len(w.outside.calls) > 0 {
			t.Errorf("since %v, calls %v, want since %v, and nothing done again", got.Since, w.outside.calls, since)
		}
		if len(w.ledger().InMaintenance) != 1 || len(w.ledger().Pools) != 1 {
			t.Errorf("the ledger has %+v, want the node and the place", w.ledger())
		}
		w.wantImported()
		if !r.Adopted("w-1") || former.looks.Load() < 2 {
			t.Errorf("adopted %t, %d looks, want that others know of it", r.Adopted("w-1"), former.looks.Load())
		}
		w.label("w-1", "done")
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
	})
}

// From what the mirrors have written, a profile takes since when it is Operational, if that is longer than it is there.
func TestAdoptsSince(t *testing.T) {
	for name, ago := range map[string]time.Duration{"longer": time.Hour, "of the NodeProfile itself": 0} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				began := time.Now().Truncate(time.Second)
				former := &fakeFormer{adopted: sapdata.Adoption{
					State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileOperational, Since: began.Add(-ago), Hold: v1beta1.StageIdle, SinceOnly: true,
				}}
				w.node("w-1")
				w.profile("flatcar")
				w.start(func(c *Config) { c.Former = former })
				w.wait(time.Minute)
				got := w.get("w-1", "flatcar").Status
				if want := ago > 0; !got.Since.Time.Equal(began.Add(-ago)) || len(got.History) > 0 != want {
					t.Errorf("since %v, history %+v, want since %v, adopted: %t", got.Since, got.History, began.Add(-ago), want)
				}
			})
		})
	}
}

// While the controller before runs, a profile says where that has the node, and what it would do from there, with the nodes
// that are in maintenance there. It does nothing, and tells nobody.
func TestSaysWhatItWouldDoFromThere(t *testing.T) {
	for name, test := range map[string]struct {
		state v1beta1.ProfileState
		// other are labels that another node gets.
		other map[string]string
		want  string
	}{
		"in the same state": {
			v1beta1.ProfileOperational, nil,
			"nothing is done (OtherController): the transition need to MaintenanceRequired would be taken",
		},
		"in another state": {
			v1beta1.ProfileMaintenanceRequired, nil,
			"nothing is done (OtherController): the other controller has it in MaintenanceRequired, and here: the transition start to InMaintenance would be taken",
		},
		"waits for another node there": {
			v1beta1.ProfileMaintenanceRequired,
			map[string]string{v1beta1.StateLabel: "in-maintenance"},
			"nothing is done (OtherController): the other controller has it in MaintenanceRequired",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1", "go")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
					s.Notifiers = []v1beta1.ProfileNotifier{{
						Name: "chat", Slack: &v1beta1.SlackNotifier{Message: "m"},
						Schedule: &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{DelaySeconds: ptr.To[int64](0)}},
					}}
					s.States.Operational.Notify = []string{"chat"}
				})
				former := &whereFormer{fakeFormer{adopted: sapdata.Adoption{State: test.state}}}
				w.start(func(c *Config) {
					c.Former, c.Notify = former, Notify
					c.Other = func(string) string { return "the controller" }
				})
				w.wait(time.Minute)
				w.node("w-2")
				drainertest.Change(w.Server, newNode("w-2", "w-2-uid"), func(n *corev1.Node) { maps.Copy(n.Labels, test.other) })
				w.wait(time.Minute)
				got := w.get("w-1", "flatcar").Status
				if !strings.HasPrefix(got.WaitingFor, test.want) || strings.HasSuffix(got.WaitingFor, "would be taken") != strings.HasSuffix(test.want, "would be taken") {
					t.Errorf("it says %q, want %q", got.WaitingFor, test.want)
				}
				if got.State != v1beta1.ProfileOperational || got.Hold != nil || got.Transition != nil || len(got.Notifications) > 0 {
					t.Errorf("status %+v, want that nothing was done", got)
				}
			})
		})
	}
}

// whereFormer has left w-2 InMaintenance.
type whereFormer struct{ fakeFormer }

func (f *whereFormer) Where(node *corev1.Node, profile *v1beta1.MaintenanceProfile) (v1beta1.ProfileState, time.Time, bool) {
	if node.Name == "w-2" {
		return v1beta1.ProfileInMaintenance, time.Now(), true
	}
	return f.fakeFormer.Where(node, profile)
}

// What the controller before has told is not told again, and what it has not, is.
func TestTellsNothingAgain(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		since := time.Now().Add(-time.Hour).Truncate(time.Second)
		w.node("w-1")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			for _, name := range []string{"once", "again", "before", "never"} {
				schedule := &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{DelaySeconds: ptr.To[int64](60)}}
				if name == "again" {
					schedule = &v1beta1.NotifierSchedule{Periodic: &v1beta1.PeriodicSchedule{Seconds: ptr.To[int64](86400)}}
				}
				s.Notifiers = append(s.Notifiers, v1beta1.ProfileNotifier{Name: name, Slack: &v1beta1.SlackNotifier{Message: "m"}, Schedule: schedule})
				s.States.MaintenanceRequired.Notify = append(s.States.MaintenanceRequired.Notify, name)
			}
		})
		w.start(func(c *Config) {
			c.Notify, c.Former = Notify, &fakeFormer{adopted: sapdata.Adoption{
				State: v1beta1.ProfileMaintenanceRequired, Previous: v1beta1.ProfileMaintenanceRequired, Since: since,
				Sent: map[string]time.Time{"once": since.Add(time.Minute), "again": since.Add(time.Minute), "before": since.Add(-time.Minute)},
			}}
		})
		w.wait(10 * time.Minute)
		var pending []string
		for _, n := range w.get("w-1", "flatcar").Status.Notifications {
			if n.State == v1beta1.NotificationPending {
				pending = append(pending, n.Notifier)
			}
		}
		slices.Sort(pending)
		if want := []string{"before", "never"}; !slices.Equal(pending, want) {
			t.Errorf("%v are to be told, want %v", pending, want)
		}
	})
}

// Nobody is told that a profile has come to a node, or was Operational there for the controller before. Of a node that
// waits, people are reminded, and of the next change they are told.
func TestTellsNobodyOfTheBeginning(t *testing.T) {
	for name, test := range map[string]struct {
		adopted *sapdata.Adoption
		want    []string
	}{
		"a new node":                  {},
		"adopted as Operational":      {&sapdata.Adoption{State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileOperational}, nil},
		"adopted while it waits":      {&sapdata.Adoption{State: v1beta1.ProfileMaintenanceRequired, Previous: v1beta1.ProfileMaintenanceRequired}, []string{"daily"}},
		"adopted as it begins to":     {&sapdata.Adoption{State: v1beta1.ProfileMaintenanceRequired, Previous: v1beta1.ProfileOperational}, []string{"daily"}},
		"adopted as it is given back": {&sapdata.Adoption{State: v1beta1.ProfileOperational, Previous: v1beta1.ProfileInMaintenance}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
					s.Notifiers = []v1beta1.ProfileNotifier{
						{Name: "once", Slack: &v1beta1.SlackNotifier{Message: "m"}},
						{Name: "daily", Slack: &v1beta1.SlackNotifier{Message: "m"}, Schedule: &v1beta1.NotifierSchedule{
							Periodic: &v1beta1.PeriodicSchedule{Seconds: ptr.To[int64](86400)},
						}},
					}
					s.States.Operational.Notify = []string{"once", "daily"}
					s.States.MaintenanceRequired.Notify = []string{"once", "daily"}
				})
				w.start(func(c *Config) {
					c.Notify = Notify
					if test.adopted != nil {
						c.Former = &fakeFormer{adopted: *test.adopted}
					}
				})
				w.wait(time.Minute)
				var pending []string
				for _, n := range w.get("w-1", "flatcar").Status.Notifications {
					pending = append(pending, n.Notifier)
				}
				if !slices.Equal(pending, test.want) {
					t.Errorf("%v are to be told, want %v", pending, test.want)
				}
				if test.adopted != nil {
					return
				}
				w.label("w-1", "go")
				w.wait(time.Minute)
				if got := w.get("w-1", "flatcar").Status.Notifications; len(got) < 2 {
					t.Errorf("after a change: %+v, want that both are told", got)
				}
			})
		})
	}
}

// A cordon that is not the controller's stays when the maintenance ends.
func TestAdoptsWithoutACordon(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1")
		w.profile("flatcar")
		w.start(func(c *Config) {
			c.Former = &fakeFormer{adopted: sapdata.Adoption{
				State: v1beta1.ProfileInMaintenance, Previous: v1beta1.ProfileInMaintenance, Since: time.Now(), Hold: v1beta1.StageDrain,
			}}
		})
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.Locked(func() {
			for _, held := range drainertest.All[*v1beta1.NodeMaintenance](w.Store) {
				if value := held.Annotations[v1beta1.ImportedAnnotation]; value != "" {
					t.Errorf("hold imported from %s, want that it looks itself what the node was like", value)
				}
			}
		})
	})
}

// wantImported wants the hold to say that the node was in service before.
func (w *world) wantImported() {
	w.t.Helper()
	w.Locked(func() {
		holds := drainertest.All[*v1beta1.NodeMaintenance](w.Store)
		if len(holds) != 1 {
			w.t.Fatalf("got %d holds, want 1", len(holds))
		}
		for _, held := range holds {
			from, err := v1beta1.ReadNewImportedFrom(held.Annotations)
			if err != nil || from == nil || from.NodeUID != "w-1-uid" || from.NodeBefore == nil || from.NodeBefore.Unschedulable {
				w.t.Errorf("hold imported from %+v, error %v, want that the node was in service before", from, err)
			}
		}
	})
}

// What cannot be read keeps the profile from doing anything on the node, and somebody is told once.
func TestDoesNotAdoptWhatItCannotRead(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar")
		r := w.start(func(c *Config) { c.Former = &fakeFormer{err: &UnreadableError{"the annotation cannot be read"}} })
		w.wait(10 * time.Minute)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		told := 0
		for len(r.recorder.Events) > 0 {
			if strings.Contains(<-r.recorder.Events, eventNotAdopted) {
				told++
			}
		}
		if told != 2 { // on the NodeProfile, and on the node
			t.Errorf("%d events, want 2", told)
		}
		want := "nothing is done (NotAdopted): the transition need to MaintenanceRequired would be taken"
		if got := w.get("w-1", "flatcar").Status.WaitingFor; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		if r.Adopted("w-1") {
			t.Error("it says that everything was adopted")
		}
	})
}
