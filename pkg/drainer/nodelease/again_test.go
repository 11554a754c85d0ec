// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// stepping is a clock that goes on by a step each time that it is read.
type stepping struct {
	clock.RealClock
	now  time.Time
	step time.Duration
}

func (s *stepping) Now() time.Time {
	s.now = s.now.Add(s.step)
	return s.now
}

// A node that waits is asked for again, even if the lease becomes free while the gate answers.
func TestNodeThatWaitsIsAlwaysAskedForAgain(t *testing.T) {
	foreign := drainertest.Lease{Holder: healthCheck, Renewed: now, Lasts: lasts}.Object()
	tests := map[string]struct {
		step time.Duration
		ask  func(g *Gate) time.Duration
	}{
		"the lease is free by now": {step: 2 * lasts, ask: func(g *Gate) time.Duration { return g.untilFree(foreign) }},
		"the next attempt is due by now": {step: attemptInterval, ask: func(g *Gate) time.Duration {
			_, again := g.fail(&node{}, 0)
			return again
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			gate := New(Config{Kube: fake.NewClientset(), Form: Medik8s, Clock: &stepping{now: now, step: test.step}})
			if again := test.ask(gate); again <= 0 {
				t.Errorf("it is asked for again after %s, which is never", again)
			}
		})
	}
}

// A watch may end without a word. Then a lease that was dropped is found by reading it.
func TestLeaseOfAnotherHolderIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := drainertest.NewServer(drainertest.Hooks{})
		object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: drainertest.NodeName, UID: ownNode.UID}}
		foreign := drainertest.Lease{Holder: healthCheck, Renewed: time.Now(), Lasts: lasts}.Object()
		server.Add(foreign)
		gate := New(Config{Kube: server.Kube, Form: Medik8s})
		gate.watching = true // and nothing comes from the watch
		asks := func(wantWait bool) {
			t.Helper()
			verdict, err := gate.Acquire(t.Context(), object, nil)
			if waits := verdict.Wait != nil; waits != wantWait || err != nil {
				t.Errorf("the node waits: %t (%v), want %t", waits, err, wantWait)
			}
		}
		asks(true)
		server.Remove(foreign)
		asks(true)
		server.Inject(drainertest.Failing("get", "leases", drainertest.ServerDown()))
		time.Sleep(askInterval)
		asks(true)
		server.Heal()
		asks(false)
	})
}

// The watch may show a write of ours before its answer comes. That is no news, but what somebody else writes is.
func TestOwnWritesAreNoNews(t *testing.T) {
	tests := map[string]struct {
		shown    func(spec *coordinationv1.LeaseSpec)
		lost     bool // the answer
		wantNews bool
	}{
		"what we write, and no answer comes": {shown: func(*coordinationv1.LeaseSpec) {}, lost: true},
		"what we write":                      {shown: func(*coordinationv1.LeaseSpec) {}},
		"of another holder":                  {shown: func(spec *coordinationv1.LeaseSpec) { spec.HolderIdentity = ptr.To(healthCheck) }, wantNews: true},
		"of another time":                    {shown: func(spec *coordinationv1.LeaseSpec) { spec.RenewTime.Time = spec.RenewTime.Add(time.Minute) }, wantNews: true},
		"of no time":                         {shown: func(spec *coordinationv1.LeaseSpec) { spec.RenewTime = nil }, wantNews: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := drainertest.NewServer(drainertest.Hooks{})
			kube, _ := server.Clients()
			gate := New(Config{Kube: kube, Form: Medik8s})
			woken := 0
			wake := func(string) { woken++ }
			var written *coordinationv1.Lease
			kube.PrependReactor("create", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
				made := action.(clienttesting.CreateAction).GetObject().(*coordinationv1.Lease)
				made.Spec.RenewTime.Time = made.Spec.RenewTime.Truncate(time.Microsecond) // as JSON has it
				lease, err := server.Kube.CoordinationV1().Leases(made.Namespace).Create(t.Context(), made, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				written = lease.DeepCopy()
				shown := lease.DeepCopy()
				test.shown(&shown.Spec)
				gate.changed(shown, wake)
				if test.lost {
					return true, nil, drainertest.ServerDown()
				}
				return true, lease, nil
			})
			if _, err := gate.Acquire(t.Context(), drainertest.Node{}.Object(), nil); (err != nil) != test.lost {
				t.Fatal(err)
			}
			if news := woken > 0; news != test.wantNews {
				t.Errorf("shown before the answer: news %t, want %t", news, test.wantNews)
			}
			woken = 0
			if gate.changed(written, wake); woken != 0 {
				t.Error("the version that was written is news after the answer")
			}
			another := written.DeepCopy()
			another.ResourceVersion = "another"
			if gate.changed(another, wake); woken != 1 {
				t.Error("another version is no news after the answer")
			}
		})
	}
}
