// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podaffinity

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }

// scene is a watcher that runs, and what it was asked and has told.
type scene struct {
	*Watcher
	server *drainertest.Server

	mu         sync.Mutex
	candidates []string
	woken      []string
}

// inScene runs a test with a watcher, in a bubble with its own time. It ends with the watcher.
func inScene(t *testing.T, test func(*scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{server: drainertest.NewServer(drainertest.Hooks{})}
		s.Watcher = New(Config{Client: s.server.Kube, Candidates: s.required, Wake: s.wakes})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		test(s)
		stop()
		running.Wait()
	})
}

func (s *scene) required(string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.candidates)
}

func (s *scene) wakes(profile, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woken = append(s.woken, profile+"/"+node)
}

// require has these nodes be MaintenanceRequired.
func (s *scene) require(nodes ...string) {
	s.mu.Lock()
	s.candidates = nodes
	s.mu.Unlock()
	s.Moved("p")
}

// told waits until nothing happens any more, and returns who was woken since the last time, and what is known.
func (s *scene) told() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.woken)
	woken := strings.Join(slices.Compact(s.woken), " ")
	s.woken = nil
	var known []string
	for node, pods := range s.Pods() {
		known = append(known, strings.TrimSpace(fmt.Sprintf("%s=%t %s", node, pods.Prefers, pods.Pod)))
	}
	slices.Sort(known)
	return fmt.Sprintf("%s woken; %s", woken, strings.Join(known, ", "))
}

// asked are the requests for pods, each once.
func (s *scene) asked() []string {
	var asked []string
	for _, action := range s.server.Kube.Actions() {
		switch a := action.(type) {
		case clienttesting.ListAction:
			asked = append(asked, "list "+a.GetListRestrictions().Fields.String())
		case clienttesting.WatchAction:
			asked = append(asked, "watch "+a.GetWatchRestrictions().Fields.String())
		}
	}
	s.server.Kube.ClearActions()
	slices.Sort(asked)
	return slices.Compact(asked)
}

// countEnds counts the watches of now that end.
func (s *scene) countEnds() *int {
	s.Watcher.mu.Lock()
	defer s.Watcher.mu.Unlock()
	ended := new(int)
	for _, watched := range s.watches {
		stop := watched.stop
		watched.stop = func() {
			*ended++
			stop()
		}
	}
	return ended
}

// picky is a pod that prefers nodes that are operational.
func picky(name, node string) *corev1.Pod {
	return drainertest.Pod{Name: name, Namespace: "shop", Node: node, Change: prefer(corev1.NodeSelectorOpIn, "operational")}.Object()
}

// plain is a pod that does not.
func plain(name, node string) *corev1.Pod {
	return drainertest.Pod{Name: name, Namespace: "shop", Node: node}.Object()
}

func prefer(operator corev1.NodeSelectorOperator, values ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
					{Key: v1beta1.StateLabel, Operator: operator, Values: values},
				}},
			}},
		}}
	}
}

// TestNothingRunsUnasked shows that pods are read only of candidates, and only while somebody wants to know.
func TestNothingRunsUnasked(t *testing.T) {
	inScene(t, func(s *scene) {
		s.require("w-1", "w-2")
		check := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(want, s.asked()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		check("nobody wants to know")
		s.Want("p", "w-1", false)
		check("it is not wanted")
		s.Want("p", "w-1", true)
		check("wanted", "list spec.nodeName=w-1", "list spec.nodeName=w-2", "watch spec.nodeName=w-1", "watch spec.nodeName=w-2")
		s.Want("p", "w-2", true)
		s.require("w-1", "w-2", "w-3")
		check("one more", "list spec.nodeName=w-3", "watch spec.nodeName=w-3")
		ended := s.countEnds()
		s.Want("p", "w-1", false)
		s.Want("p", "w-2", false)
		s.server.Add(picky("db-0", "w-1"))
		if got := s.told(); !strings.HasSuffix(got, "woken; ") {
			t.Errorf("it is not wanted any more: %s", got)
		}
		check("nobody wants to know any more")
		if *ended != 3 {
			t.Errorf("%d of 3 watches have ended", *ended)
		}
	})
}

// TestMovesOfOthers shows that a profile that does not want the check has nothing looked at.
func TestMovesOfOthers(t *testing.T) {
	w := New(Config{})
	w.wanting["p"] = map[string]bool{"w-1": true}
	if w.Moved("q"); len(w.moved) != 0 {
		t.Error("a profile that does not want to know is looked at")
	}
	if w.Moved("p"); len(w.moved) != 1 {
		t.Error("a profile that wants to know is not looked at")
	}
}

// TestWakes shows whom a change of pods wakes: a node whose own pods have become others, and all if the first node without
// such pods comes, or the last one goes.
func TestWakes(t *testing.T) {
	inScene(t, func(s *scene) {
		step := func(what, want string) {
			t.Helper()
			if got := s.told(); got != want {
				t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
			}
		}
		db, web, cache := picky("db-0", "w-1"), picky("web-0", "w-2"), picky("cache-0", "w-2")
		s.server.Add(db, plain("job", "w-1"), web, plain("other", "w-9"))
		s.require("w-1", "w-2")
		s.Want("p", "w-1", true)
		s.Want("p", "w-2", true)
		step("known", "p/w-1 p/w-2 woken; w-1=true shop/db-0, w-2=true shop/web-0")
		s.server.Add(plain("more", "w-1"))
		step("another pod", " woken; w-1=true shop/db-0, w-2=true shop/web-0")
		s.server.Add(cache)
		step("one more such pod: the first by name is said", " woken; w-1=true shop/db-0, w-2=true shop/cache-0")
		s.server.Remove(cache)
		s.server.Remove(web)
		step("a node has none any more, and goes first", "p/w-1 p/w-2 woken; w-1=true shop/db-0, w-2=false")
		s.require("w-1")
		step("it is through, and left none behind", "p/w-1 p/w-2 woken; w-1=true shop/db-0")
		s.require("w-1", "w-3")
		step("a node without pods", "p/w-1 p/w-2 woken; w-1=true shop/db-0, w-3=false")
		s.Want("p", "w-3", true)
		step("what became known before it was wanted", "p/w-3 woken; w-1=true shop/db-0, w-3=false")
		s.Want("p", "w-3", true)
		step("it is wanted still", " woken; w-1=true shop/db-0, w-3=false")
		s.Want("q", "w-8", true)
		step("another profile", "q/w-8 woken; w-1=true shop/db-0, w-3=false")
	})
}

func TestPrefers(t *testing.T) {
	const in = corev1.NodeSelectorOpIn
	finished := func(phase corev1.PodPhase) func(*corev1.Pod) {
		return func(p *corev1.Pod) { prefer(in, "operational")(p); p.Status.Phase = phase }
	}
	owned := func(version, kind string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			prefer(in, "operational")(p)
			controller := true
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Controller: &controller}}
		}
	}
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"prefers":          {prefer(in, "operational"), true},
		"no affinity":      {func(*corev1.Pod) {}, false},
		"another value":    {prefer(in, "in-maintenance"), false},
		"more values":      {prefer(in, "operational", "maintenance-required"), false},
		"another operator": {prefer(corev1.NodeSelectorOpNotIn, "operational"), false},
		"required, not preferred": {func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}
		}, false},
		// The former controller counted these pods, too, although they do not move.
		"completed":            {finished(corev1.PodSucceeded), false},
		"failed":               {finished(corev1.PodFailed), false},
		"of a DaemonSet":       {owned("apps/v1", "DaemonSet"), false},
		"of another DaemonSet": {owned("example.com/v1", "DaemonSet"), true},
		"static": {func(p *corev1.Pod) {
			prefer(in, "operational")(p)
			p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
		}, false},
		"terminating": {func(p *corev1.Pod) { prefer(in, "operational")(p); p.DeletionTimestamp = &metav1.Time{} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := prefers(drainertest.Pod{Name: "pod", Change: tc.change}.Object()); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

func TestTrimTwice(t *testing.T) {
	drainertest.TransformTwice(t, trim, picky("db-0", "w-1"), plain("job", "w-1"))
}
