// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package answers

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint/endpointtest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }

// fakeCluster has one node, which requires maintenance.
type fakeCluster struct{ evaluation.Cluster }

func (c fakeCluster) View(look func(evaluation.Cluster)) { look(c) }
func (fakeCluster) NodeCount() int                       { return 1 }
func (fakeCluster) InState(string, v1beta1.ProfileState) []evaluation.Member {
	return []evaluation.Member{{Node: "w-1"}}
}

// scene is answers that run, and who was woken.
type scene struct {
	*Answers
	server  *drainertest.Server
	profile *v1beta1.MaintenanceProfile
	about   *v1beta1.NodeProfile
	node    *corev1.Node
	mu      sync.Mutex
	names   []string
}

func inScene(t *testing.T, test func(*scene)) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{
			server: drainertest.NewServer(drainertest.Hooks{}),
			profile: &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "flatcar"}, Spec: v1beta1.MaintenanceProfileSpec{
				Checks: []v1beta1.ProfileCheck{
					{Name: "load", Prometheus: &v1beta1.PrometheusCheck{Endpoint: "metrics", Query: "up", Expression: "value > 0"}},
					{Name: "pods", PodAffinity: &v1beta1.PodAffinityCheck{}},
				},
			}},
			about: &v1beta1.NodeProfile{
				ObjectMeta: metav1.ObjectMeta{Name: "w-1.flatcar"}, Spec: v1beta1.NodeProfileSpec{NodeName: "w-1", Profile: "flatcar"},
			},
			node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w-1"}},
		}
		s.Answers = New(Config{
			Cluster: fakeCluster{}, Endpoints: &endpointtest.Endpoints{Err: errors.New("no route " + endpointtest.Secret)},
			Kube: s.server.Kube, Wake: s.wake, Clock: clock.RealClock{},
		})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		test(s)
		stop()
		running.Wait()
	})
}

func (s *scene) wake(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, names...)
}

// woken are those who were woken since the last time.
func (s *scene) woken() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.names)
	woken := strings.Join(slices.Compact(s.names), " ")
	s.names = nil
	return woken
}

func (s *scene) want(checks ...string) { s.Want(s.profile, s.about, s.node, checks) }

func TestServersAreAsked(t *testing.T) {
	inScene(t, func(s *scene) {
		if got := s.woken(); got != "" {
			t.Errorf("%s is woken, and nothing is wanted", got)
		}
		s.want("load")
		if got := s.woken(); got != "w-1.flatcar" {
			t.Errorf("%q is woken, want w-1.flatcar", got)
		}
		answers, pods := s.For(s.profile, s.about, s.node)
		answer := answers["load"]
		if answer.Result != evaluation.Error || strings.Contains(answer.Message, endpointtest.Secret) || len(pods) > 0 {
			t.Errorf("answers %+v, pods %v, want the error of the call without what is secret", answers, pods)
		}
		s.want("load")
		if got := s.woken(); got != "" {
			t.Errorf("%s is woken, and knows the answer", got)
		}
	})
}

func TestPodsAreWatched(t *testing.T) {
	inScene(t, func(s *scene) {
		s.server.Add(drainertest.Pod{Name: "db-0", Namespace: "shop", Node: "w-1"}.Object())
		pods := func() map[string]evaluation.PodAffinity {
			synctest.Wait()
			_, pods := s.For(s.profile, s.about, s.node)
			return pods
		}
		s.want("load")
		if got := pods(); len(got) > 0 {
			t.Errorf("pods %v are known, and nobody wants them", got)
		}
		s.want("pods")
		if got := s.woken(); got != "w-1.flatcar" {
			t.Errorf("%q is woken, want w-1.flatcar", got)
		}
		if got, known := pods()["w-1"]; !known || got.Prefers {
			t.Errorf("pods %v, want that they do not care", got)
		}
		s.Forget(s.about)
		if got := pods(); len(got) > 0 {
			t.Errorf("pods %v are known, and nobody wants them any more", got)
		}
	})
}
