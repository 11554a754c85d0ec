// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }

func TestConfigSaysWhatIsMissing(t *testing.T) {
	_, err := New(Config{EvictionsInFlight: -1})
	if err == nil {
		t.Fatal("an empty configuration passes")
	}
	for _, want := range []string{
		"no client for NodeMaintenances", "no client for the cluster", "no store id", "negative",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestRunReturnsAtOnceForADoneContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := New(newCluster(t).config)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		d.Run(ctx, ctx)
		if took := time.Since(began); took > 0 {
			t.Errorf("returned after %s", took)
		}
	})
}

// Stopped while its caches cannot sync, and then while requests hang: Run returns, and the
// bubble fails the test if a goroutine is left.
func TestRunEndsWhatItStarted(t *testing.T) {
	tests := map[string]func(c *cluster) []drainertest.Object{
		"caches that never sync": func(c *cluster) []drainertest.Object {
			c.Inject(drainertest.Failing("list", "nodes", errors.New("no route to host")))
			return nil
		},
		"in the middle of a drain": func(c *cluster) []drainertest.Object {
			c.RefuseEviction("web-1", errors.New("connection reset"))
			return []drainertest.Object{
				drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
				drainertest.Pod{Name: "web-2"}.Object(), drainertest.Hold{Name: "a", TimeoutSeconds: 5}.Object(),
			}
		},
		"with its own recorder": func(c *cluster) []drainertest.Object {
			c.config.Recorder = nil
			return []drainertest.Object{drainertest.Node{}.Object(), drainertest.Hold{Name: "a"}.Object()}
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				for _, object := range prepare(c) {
					c.Add(object)
				}
				c.start()
				c.wait(10 * time.Second)
				began := time.Now()
				c.stop()
				if took := time.Since(began); took > time.Second {
					t.Errorf("it took %s to stop", took)
				}
			})
		})
	}
}

func TestEventsAreWrittenThroughTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, drainertest.Node{}.Object())
		c.config.Recorder = nil
		c.start()
		defer func() { c.stop() }()
		c.create(drainertest.Hold{Name: "a"}.Object())
		list, err := c.Kube.CoreV1().Events(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		// Events are named after the time, which stands still here: the first of each object wins.
		var onNode, onHold bool
		for _, event := range list.Items {
			about := event.InvolvedObject
			if event.Reason != holdstatus.EventMaintenanceStarted {
				continue
			}
			onNode = onNode || (about.Kind == "Node" && about.Name == drainertest.NodeName && about.UID == drainertest.NodeName)
			onHold = onHold || (about.Kind == "NodeMaintenance" && about.UID == drainertest.UID("a") &&
				about.APIVersion == v1beta1.SchemeGroupVersion.String())
		}
		if !onNode || !onHold {
			t.Errorf("events on the node: %t, on the hold: %t, in %+v", onNode, onHold, list.Items)
		}
	})
}

func TestReadyAndHealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, drainertest.Node{}.Object())
		idle, err := New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if err := idle.Ready(); err == nil || !strings.Contains(err.Error(), "cache of nodes is not synced") {
			t.Errorf("before it runs: ready says %v", err)
		}
		if !idle.HasNode("anything") {
			t.Error("before it runs: it denies a node that it cannot know")
		}
		idle.Wake(drainertest.NodeName)

		c.start()
		defer func() { c.stop() }()
		c.wait(10 * time.Minute)
		if err := errors.Join(c.drainer.Ready(), c.drainer.Healthy()); err != nil {
			t.Errorf("at work: %v", err)
		}
		if !c.drainer.HasNode(drainertest.NodeName) || c.drainer.HasNode("worker-9") {
			t.Error("it does not know the nodes")
		}
		// Every worker hangs.
		c.drainer.leading.Load().queue.ShutDown()
		c.wait(heartbeatMissed + heartbeatInterval)
		if err := c.drainer.Healthy(); err == nil {
			t.Error("a stuck loop is taken to be healthy")
		}
		c.stop()
		if err := c.drainer.Healthy(); err != nil {
			t.Errorf("stopped: %v", err)
		}
	})
}

// No event repeats what was said, however long a drain stays blocked.
func TestBlockedDrainIsToldOnce(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Pod{Name: "web-2"}.Object(),
		drainertest.Budget{Name: "web", Desired: 2, Healthy: 2, Expected: 3}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 0)
		c.wait(time.Hour)
		c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 2) // on the hold and on the node
		if blockers := c.hold("a").Status.Blockers; len(blockers) != 2 || blockers[0].Permanent {
			t.Errorf("blockers %+v", blockers)
		}
		c.changeBudget(drainertest.Budget{Name: "web", Desired: 2, Healthy: 2, Expected: 2}.Object())
		c.wait(time.Hour)
		c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 2) // once more: waiting will not help
		if blockers := c.hold("a").Status.Blockers; len(blockers) != 2 || !blockers[0].Permanent {
			t.Errorf("blockers %+v", blockers)
		}
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
	})
}

// Other reasons are told again, but not each time.
func TestBlockedDrainIsToldAgain(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web"}.Object()), func(c *cluster) {
		report := func(ready corev1.ConditionStatus) {
			c.changeNode(drainertest.NodeName, func(node *corev1.Node) {
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
			})
			c.wait(time.Minute)
		}
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(2 * time.Minute)
		c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 2) // on the hold and on the node: the kubelet has not stopped the pod
		report(corev1.ConditionUnknown)
		c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 2) // the node does not report
		c.wait(time.Hour)
		c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 0)
		for range 30 {
			report(corev1.ConditionTrue)
			report(corev1.ConditionUnknown)
		}
		if told := len(c.events()); told < 10 || told > 20 {
			t.Errorf("an hour of changes has %d events, want some on the hold and as many on the node", told)
		}
	})
}

// A restart finds a drain that was blocked for good, or not for good, as it was: nothing is
// written again.
func TestRestartRepeatsNothing(t *testing.T) {
	for name, budget := range map[string]drainertest.Budget{
		"blocked for good": {
			Name: "web", Desired: 2, Healthy: 2, Expected: 2, ClosedFor: time.Hour,
		},
		"blocked for now": {
			Name: "web", Desired: 2, Healthy: 2, Expected: 3, ClosedFor: time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
				drainertest.Pod{Name: "web-2"}.Object(), budget.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(time.Minute)
				c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 2)
				before := c.hold("a").ResourceVersion
				c.stop()
				c.start()
				c.wait(time.Hour)
				c.wantEvent(c.events(), holdstatus.EventDrainBlocked, 0)
				if after := c.hold("a").ResourceVersion; after != before {
					t.Errorf("the hold was written after the restart: %+v", c.hold("a").Status)
				}
			})
		})
	}
}

// A reborn StatefulSet pod of the same name, elsewhere, is another pod.
func TestRebornPodElsewhereIsLeftAlone(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Node{Name: "worker-2"}.Object(),
		drainertest.Pod{Name: "db-0"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantEvictions(map[string]int{"db-0": 1})
		c.finish("db-0")
		c.Add(drainertest.Pod{Name: "db-0", Node: "worker-2", UID: "reborn"}.Object())
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		if got := c.Evictions("reborn"); got != 0 {
			t.Errorf("the reborn pod was posted %d times", got)
		}
	})
}
