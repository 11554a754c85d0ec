// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

func TestFacts(t *testing.T) {
	own, other := replica("own"), replica("other", drainertest.SetReady(corev1.ConditionFalse))
	kube := fake.NewClientset(own, other, replica("leaving"), replica("last", label("component", "job")),
		replica("over", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded }))
	reader := replicas.Reader{Kube: kube, Server: replicas.Of(own)}

	got := reader.Facts(t.Context(), []*corev1.Pod{own}, sets.New(drainertest.UID("leaving")))
	want := []replicas.Replica{
		{Pod: drainertest.KeyOf(replica("leaving")), UID: drainertest.UID("leaving"), Ready: true, Leaving: true},
		{Pod: drainertest.KeyOf(other), UID: other.UID},
		{Pod: drainertest.KeyOf(own), UID: own.UID, Ready: true},
	}
	if diff := cmp.Diff(want, got.Replicas); diff != "" || got.Failure != "" {
		t.Errorf("failure %q, replicas (-want +got):\n%s", got.Failure, diff)
	}
	requests := len(kube.Actions())
	if got := reader.Facts(t.Context(), []*corev1.Pod{drainertest.Pod{Name: "web"}.Object()}, nil); got.Replicas != nil {
		t.Errorf("a node without a replica: %v", got.Replicas)
	}
	if len(kube.Actions()) != requests {
		t.Error("pods are listed for a node that has no replica")
	}
	kube.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("no answer") })
	if got := reader.Facts(t.Context(), []*corev1.Pod{own}, nil); !strings.Contains(got.Failure, "no answer") {
		t.Errorf("failure %q, want the cause", got.Failure)
	}
}

// Two nodes are under drain at once, and each have a replica.
func TestLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := replica("a"), replica("b")
		ledger := replicas.NewLedger(replicas.Reader{Kube: fake.NewClientset(a, b), Server: replicas.Of(a)}, clock.RealClock{}, false)
		look := func(node string, pod *corev1.Pod, going ...types.UID) (leaving []string) {
			facts, decided := ledger.Look(t.Context(), node, []*corev1.Pod{pod})
			defer decided(going)
			for _, replica := range facts.Replicas {
				if replica.Leaving {
					leaving = append(leaving, replica.Pod.Name)
				}
			}
			return leaving
		}
		want := func(what string, got []string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: leaving (-want +got):\n%s", what, diff)
			}
		}

		for _, test := range []struct {
			after time.Duration
			want  bool
		}{{0, true}, {39 * time.Second, true}, {time.Second, false}} {
			time.Sleep(test.after)
			facts, decided := ledger.Look(t.Context(), "node-a", []*corev1.Pod{a})
			decided(nil)
			if facts.Early != test.want {
				t.Errorf("%s later, it is early: %t, want %t", test.after, facts.Early, test.want)
			}
		}
		_, decided := ledger.Look(t.Context(), "node-a", []*corev1.Pod{a})
		second := make(chan []string)
		go func() { second <- look("node-b", b) }()
		synctest.Wait()
		select {
		case <-second:
			t.Fatal("a node was looked at while another one decided")
		default:
		}
		decided([]types.UID{a.UID})
		want("the second node, after the first decided", <-second, "a")
		want("the first node, which changes its mind", look("node-a", a), "a")
		want("the second node, while the eviction may be under way", look("node-b", b), "a")
		time.Sleep(time.Minute)
		want("the second node, later", look("node-b", b, b.UID))
		ledger.Stop("node-b")
		want("the first node, after the drain of the second stopped", look("node-a", a), "b")
		time.Sleep(time.Minute)
		want("the first node, later", look("node-a", a))
	})
}
