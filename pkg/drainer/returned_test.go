// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// stubborn is a ReplicaSet that puts its pods on one node, whatever its taints.
type stubborn struct {
	*cluster
	replicas, made int
}

func newStubborn(c *cluster, replicas int) *stubborn {
	s := &stubborn{cluster: c, replicas: replicas}
	s.act()
	return s
}

// act ends the pods that are terminating, and creates those that are missing.
func (s *stubborn) act() {
	s.Locked(func() {
		have := 0
		for _, pod := range drainertest.All[*corev1.Pod](s.Store) {
			if pod.DeletionTimestamp.IsZero() {
				have++
			} else {
				s.EndPod(pod)
			}
		}
		for ; have < s.replicas; have++ {
			s.made++
			s.Store.Put(drainertest.Pod{Name: fmt.Sprintf("web-%d", s.made), Change: func(pod *corev1.Pod) {
				pod.CreationTimestamp = metav1.Now()
				pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
				pod.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": drainertest.NodeName}
			}}.Object())
		}
	})
}

// actFor lets it act several times a second, and returns how many pods were evicted meanwhile.
func (s *stubborn) actFor(d time.Duration) int {
	before := s.made
	for end := time.Now().Add(d); time.Now().Before(end); {
		s.wait(100 * time.Millisecond)
		s.act()
	}
	return s.made - before
}

// A handful of evictions a minute is all that a controller gets that puts its pods back, and it is told of.
func TestPodsThatReturnAreEvictedSeldom(t *testing.T) {
	tests := map[string]struct {
		hold            drainertest.Hold
		replicas        int
		wantFirst, want int
		wantPhase       v1beta1.MaintenancePhase
		wantReason      string
	}{
		"one pod": {
			hold: drainertest.Hold{Name: "a"}, replicas: 1, wantFirst: 6, want: 2,
			wantPhase: v1beta1.PhaseRunning, wantReason: v1beta1.ReasonDraining,
		},
		"ten pods": {
			hold: drainertest.Hold{Name: "a"}, replicas: 10, wantFirst: 10 + 5, want: 2,
			wantPhase: v1beta1.PhaseRunning, wantReason: v1beta1.ReasonDraining,
		},
		"deleted past the deadline": {
			hold: drainertest.Hold{Name: "a", TimeoutSeconds: 30, DeleteOnTimeout: true}, replicas: 10, wantFirst: 10 + 5, want: 2,
			wantPhase: v1beta1.PhaseFailed, wantReason: v1beta1.ReasonDeadlineExceeded,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				s := newStubborn(c, test.replicas)
				c.create(test.hold.Object())
				if got := s.actFor(time.Minute); got > test.wantFirst {
					t.Errorf("%d pods were evicted in the first minute, want at most %d", got, test.wantFirst)
				}
				s.actFor(time.Minute)
				if got := s.actFor(time.Minute); got == 0 || got > test.want {
					t.Errorf("%d pods were evicted in the third minute, want 1 to %d", got, test.want)
				}
				c.wantPhase("a", test.wantPhase)
				c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, test.wantReason)
				c.wantCondition("a", v1beta1.ConditionBlocked, metav1.ConditionTrue, string(v1beta1.BlockerPodsReturn))
				if status := c.hold("a").Status; int(status.EvictionPods) > 2*test.replicas+1 || int(status.BlockedPodCount) != test.replicas {
					t.Errorf("%d pods are counted and %d are blocked, want at most %d and %d",
						status.EvictionPods, status.BlockedPodCount, 2*test.replicas+1, test.replicas)
				}
				s.replicas = 0
				s.Locked(func() {
					for _, pod := range drainertest.All[*corev1.Pod](s.Store) {
						s.Store.Remove(pod)
					}
				})
				c.wait(holdstatus.WriteInterval + 10*time.Second)
				c.wantPhase("a", v1beta1.PhaseSucceeded)
			})
		})
	}
}

// What came back before a restart came back: only one more is evicted before it is told of again.
func TestRestartKnowsReturnedPods(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		s := newStubborn(c, 10)
		c.create(drainertest.Hold{Name: "a"}.Object())
		s.actFor(time.Minute)
		c.stop()
		c.start()
		if got := s.actFor(4 * time.Second); got > 1 {
			t.Errorf("%d pods were evicted after the restart, want 1", got)
		}
	})
}

// Pods that came while somebody had uncordoned the node are gone soon.
func TestPodsThatCameInBetweenAreGoneSoon(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "kept", Unmanaged: true}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Blocking: true}.Object())
		s := newStubborn(c, 10)
		s.replicas = 0
		s.actFor(15 * time.Second)
		if diff := cmp.Diff([]string{"default/kept"}, c.hold("a").Status.PendingPods); diff != "" {
			t.Errorf("pending pods (-want +got):\n%s", diff)
		}
	})
}

func TestReturnedPodsAreToldOf(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		s := newStubborn(c, 1)
		c.create(drainertest.Hold{Name: "a"}.Object())
		s.actFor(8 * time.Second)
		blockers := c.hold("a").Status.Blockers
		if len(blockers) != 1 || !blockers[0].Permanent || blockers[0].Object != "ReplicaSet/default/web" {
			t.Fatalf("blockers are %+v, want one for good by the ReplicaSet", blockers)
		}
		for _, want := range []string{
			"3 pods of ReplicaSet/default/web", "a toleration of every taint", "nodeSelector kubernetes.io/hostname=worker-1",
			"action Skip", "The next one is evicted at 2000-01-01T00:00:",
		} {
			if !strings.Contains(blockers[0].Message, want) {
				t.Errorf("the message is %q, want %q in it", blockers[0].Message, want)
			}
		}
	})
}
