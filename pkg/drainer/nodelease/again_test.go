// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

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
