// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

func TestQuantileAndMedian(t *testing.T) {
	tests := map[string]struct {
		values                         []int
		wantMedian, wantP99, wantWorst int
	}{
		"none":        {},
		"one":         {values: []int{7}, wantMedian: 7, wantP99: 7, wantWorst: 7},
		"odd":         {values: []int{9, 1, 5}, wantMedian: 5, wantP99: 9, wantWorst: 9},
		"even":        {values: []int{4, 2, 8, 6}, wantMedian: 5, wantP99: 8, wantWorst: 8},
		"two hundred": {values: oneTo(200), wantMedian: 100, wantP99: 198, wantWorst: 200},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := median(test.values); got != test.wantMedian {
				t.Errorf("median %d, want %d", got, test.wantMedian)
			}
			if got := quantile(test.values, 0.99); got != test.wantP99 {
				t.Errorf("p99 %d, want %d", got, test.wantP99)
			}
			if got := quantile(test.values, 1); got != test.wantWorst {
				t.Errorf("worst %d, want %d", got, test.wantWorst)
			}
		})
	}
}

func oneTo(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = i + 1
	}
	return values
}

func TestCallsByKind(t *testing.T) {
	event := func(verb, resource, subresource string, code int32) *auditv1.Event {
		return &auditv1.Event{
			Verb: verb, Stage: auditv1.StageResponseComplete, ResponseStatus: &metav1.Status{Code: code},
			ObjectRef: &auditv1.ObjectReference{Resource: resource, Subresource: subresource, Name: "app1-x"},
		}
	}
	c := &calls{evictions: map[string][]time.Time{}}
	for _, e := range []*auditv1.Event{
		event("create", "pods", "eviction", 201), event("create", "pods", "eviction", 429), event("create", "pods", "eviction", 500),
		event("get", "pods", "", 200), event("list", "pods", "", 200), event("watch", "pods", "", 200), event("patch", "nodes", "", 200),
	} {
		c.add(e)
	}
	if c.accepted != 1 || c.refused != 1 || c.failed != 1 || c.gets != 1 || c.lists != 1 || c.watches != 1 || c.others != 1 {
		t.Errorf("%+v, want one of each", c)
	}
	if len(c.evictions["app1"]) != 1 {
		t.Errorf("evictions of %v, want one of app1", slices.Collect(maps.Keys(c.evictions)))
	}
}

func TestReactionsPairEvictionsWithRoom(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	c := &calls{evictions: map[string][]time.Time{"a": {at(0), at(1010), at(1990)}, "b": {at(0)}}}
	got := c.reactions(map[string][]time.Time{"a": {at(1000), at(2000), at(3000)}, "b": {at(1000)}})
	if want := []time.Duration{10 * time.Millisecond, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSpread(t *testing.T) {
	nodes := []string{"n1", "n2", "n3", "n4"}
	s := size{nodes: 4, used: 3, drained: 2, apps: 5, replicas: 4}
	apps := spread(s, nodes, 1, 1)
	onNode := map[string]int{}
	for _, a := range apps {
		if len(a.nodes) != s.replicas || a.desired() != s.replicas-1 {
			t.Errorf("%s has %d replicas of which %d are to stay", a.name, len(a.nodes), a.desired())
		}
		for _, node := range a.nodes {
			onNode[node]++
		}
	}
	if want := map[string]int{"n1": 7, "n2": 7, "n3": 6}; !maps.Equal(onNode, want) {
		t.Errorf("pods by node %v, want %v", onNode, want)
	}
	if s.podsDrained() != 14 {
		t.Errorf("%d pods to drain, want 14", s.podsDrained())
	}
	if again := spread(s, nodes, 1, 1); !slices.EqualFunc(apps, again, func(a, b app) bool { return slices.Equal(a.nodes, b.nodes) }) {
		t.Error("the same seed gives another placement")
	}
}

func TestObserverSeesABrokenBudget(t *testing.T) {
	pod := func(uid string, ready bool) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), Labels: map[string]string{appLabel: "a"}}, Spec: corev1.PodSpec{NodeName: "n"}}
		if ready {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}
		return p
	}
	o := newObserver()
	o.desired["a"] = 1
	o.pod(watch.Added, pod("1", true))
	o.pod(watch.Added, pod("2", true))
	o.pod(watch.Modified, pod("1", false))
	if broken, _ := o.outcome(); broken != 0 {
		t.Errorf("broken %d times with one healthy pod left", broken)
	}
	o.pod(watch.Deleted, pod("2", true))
	o.pod(watch.Deleted, pod("1", false))
	if broken, _ := o.outcome(); broken != 1 {
		t.Errorf("broken %d times, want once", broken)
	}
	if o.podsOn([]string{"n"}) != 0 || o.emptied["n"].IsZero() {
		t.Error("the node is not seen to be empty")
	}
}

// A pod counts once when it is asked to go, also if the watch shows only that it is gone.
func TestObserverCountsPodsThatLeave(t *testing.T) {
	now := metav1.Now()
	pod := func(uid string, deleted *metav1.Time) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), DeletionTimestamp: deleted}}
	}
	o := newObserver()
	for _, event := range []watch.Event{
		{Type: watch.Added, Object: pod("stays", nil)},
		{Type: watch.Added, Object: pod("leaves", nil)},
		{Type: watch.Modified, Object: pod("leaves", &now)},
		{Type: watch.Modified, Object: pod("leaves", &now)},
		{Type: watch.Deleted, Object: pod("leaves", &now)},
		{Type: watch.Added, Object: pod("killed", nil)},
		{Type: watch.Deleted, Object: pod("killed", nil)},
	} {
		o.take(event)
	}
	if left, _ := o.leftCount(); left != 2 {
		t.Errorf("%d pods left, want 2", left)
	}
}

func TestRollRunCountsWhatMovedAgain(t *testing.T) {
	tests := map[string]struct {
		run  rollRun
		want float64
	}{
		"each once":          {run: rollRun{pods: 300, evicted: 300}, want: 0},
		"each replaced once": {run: rollRun{pods: 300, evicted: 600}, want: 1},
		"one of ten again":   {run: rollRun{pods: 300, evicted: 330}, want: 0.1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.run.again(); got != test.want {
				t.Errorf("moved again %v, want %v", got, test.want)
			}
		})
	}
}
