// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

// twoNodes are where the replicas of these tests run, and spare takes one that is created anew.
var (
	twoNodes = []string{"worker-1", "worker-2"}
	spare    = "worker-3"
)

func replicaOn(name, node string) *corev1.Pod {
	return drainertest.Pod{Name: name, Node: node, Change: drainertest.Replica}.Object()
}

// withServers builds a cluster with a replica on each of the nodes; the drainer runs in the first.
func withServers(nodes ...string) func(t *testing.T) *cluster {
	return func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{Name: twoNodes[0]}.Object(), drainertest.Node{Name: twoNodes[1]}.Object(),
			drainertest.Node{Name: spare}.Object(), drainertest.Pod{Name: "web", Node: twoNodes[0]}.Object())
		for _, node := range nodes {
			c.Add(replicaOn("server-"+node, node))
		}
		c.config.Server = replicas.Of(replicaOn("server-"+nodes[0], nodes[0]))
		return c
	}
}

// The only replica stays, and the drain says so. It goes when another one is ready.
func TestLastReplicaStays(t *testing.T) {
	inCluster(t, withServers("worker-1"), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Node: "worker-1"}.Object())
		c.finish("web")
		c.wait(time.Hour)
		c.wantEvictions(map[string]int{"server-worker-1": 0, "web": 1})
		c.wantCondition("a", v1beta1.ConditionBlocked, metav1.ConditionTrue, string(v1beta1.BlockerOwnPod))
		if blockers := c.hold("a").Status.Blockers; len(blockers) != 1 || !blockers[0].Permanent {
			c.t.Errorf("blockers %+v, want a permanent one", blockers)
		}

		other := replicaOn("server-new", spare)
		drainertest.SetReady(corev1.ConditionFalse)(other)
		c.Add(other)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"server-worker-1": 0})
		if blockers := c.hold("a").Status.Blockers; len(blockers) != 1 || blockers[0].Permanent {
			c.t.Errorf("blockers %+v, want one that may pass", blockers)
		}
		c.changePod("server-new", drainertest.SetReady(corev1.ConditionTrue))
		c.settle() // nobody waits for the next look
		c.wantEvictions(map[string]int{"server-worker-1": 1})
	})
}

// A replica need not wait if the last leader ended in order.
func TestReplicaGoesAfterHandover(t *testing.T) {
	for name, handedOver := range map[string]bool{"in order": true, "after a crash": false} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster {
				c := withServers(twoNodes...)(t)
				c.config.HandedOver = func() bool { return handedOver }
				return c
			}, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", Node: "worker-1"}.Object())
				c.finish("web")
				c.settle()
				c.wantEvictions(map[string]int{"server-worker-1": map[bool]int{true: 1, false: 0}[handedOver]})
				c.wait(45 * time.Second)
				c.wantEvictions(map[string]int{"server-worker-1": 1})
			})
		})
	}
}

// A leader that does not know whether a replica is evicted says so at its end: the next one must wait.
func TestUnknownEvictionOfReplica(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want error
	}{
		"accepted":  {},
		"refused":   {err: drainertest.WebhookRefusal(http.StatusTooManyRequests)},
		"no answer": {err: errors.New("connection lost"), want: errReplicaUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster {
				c := withServers(twoNodes...)(t)
				c.config.HandedOver = func() bool { return true }
				if test.err != nil {
					c.RefuseEviction("server-worker-1", test.err)
				}
				c.config.Elect = func(ctx context.Context, lead func(context.Context) error) {
					if err := lead(ctx); !errors.Is(err, test.want) {
						t.Errorf("the leader ends with %v, want %v", err, test.want)
					}
				}
				return c
			}, func(c *cluster) {
				c.changePod("web", func(pod *corev1.Pod) { pod.Labels[v1beta1.DrainLabel] = v1beta1.DrainLabelSkip })
				c.create(drainertest.Hold{Name: "a", Node: "worker-1"}.Object())
				c.wait(time.Second)
			})
		})
	}
}

// The plan that is shown says of the server's own pods what the drain does.
func TestPlanOfReplicas(t *testing.T) {
	for name, test := range map[string]struct {
		nodes       []string
		wantBlocked bool
	}{
		"alone":      {nodes: []string{"worker-1"}, wantBlocked: true},
		"one of two": {nodes: twoNodes},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, withServers(test.nodes...), func(c *cluster) {
				plan, err := c.drainer.Plan(c.t.Context(), drainertest.Hold{Name: "a", Node: "worker-1"}.Object(), true)
				if err != nil {
					c.t.Fatal(err)
				}
				last := plan.Pods[len(plan.Pods)-1]
				if last.Pod != "default/server-worker-1" || last.Action != v1beta1.PlanEvict || last.Turn != 2 {
					c.t.Errorf("the last of the plan is %+v, want the server's pod in turn 2", last)
				}
				if blocked := last.Blocker != nil && last.Blocker.Reason == v1beta1.BlockerOwnPod; blocked != test.wantBlocked {
					c.t.Errorf("its blocker is %+v, want one: %t", last.Blocker, test.wantBlocked)
				}
			})
		})
	}
}

// Both nodes with a replica are drained at once: one replica goes, and the other when the first is
// ready elsewhere. The drain of the first node ends under its successor.
func TestReplicasGoOneAfterAnother(t *testing.T) {
	inCluster(t, withServers(twoNodes...), func(c *cluster) {
		c.finish("web")
		c.create(drainertest.Hold{Name: "a", Node: "worker-1"}.Object())
		c.create(drainertest.Hold{Name: "b", Node: "worker-2"}.Object())
		c.wait(time.Minute)
		first, second := "server-worker-1", "server-worker-2"
		if c.Evictions(drainertest.UID(first)) == 0 {
			first, second = second, first
		}
		c.wantEvictions(map[string]int{first: 1, second: 0})

		c.finish(first)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{second: 0})
		c.stop()
		c.config.Server = replicas.Of(replicaOn(second, "worker-2"))
		c.start()
		c.Add(replicaOn("server-new", spare))
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{second: 1})
		c.finish(second)
		c.wait(10 * time.Second)
		for _, hold := range []string{"a", "b"} {
			c.wantPhase(hold, v1beta1.PhaseSucceeded)
		}
	})
}
