// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

const down = "the query has no result"

func releasePolicy(gates ...v1beta1.PolicyGate) []*v1beta1.MaintenancePolicy {
	return []*v1beta1.MaintenancePolicy{policy("workers", v1beta1.PolicyGates{Release: gates, ReleaseTimeoutSeconds: ptr.To[int64](600)})}
}

// keepsMessage is what a hold says while the query up has no result.
const keepsMessage = `policy "workers": waits for a result of the query up (the query has no result)`

func TestNodeIsGivenBackAtOnceIfItsGatesPass(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.take()
		c.held()
		c.delete("a")
		c.wantGivenBack()
		if events := c.held(); len(events) > 0 {
			t.Errorf("events %q, want none", events)
		}
	})
}

func TestNodeIsKeptUntilItsGatesPass(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.take()
		c.prometheus.say("up", down)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.wait(5 * time.Minute)
		if events := c.held(); len(events) != 2 { // on the hold and on its node
			t.Errorf("events %q, want one on the hold and one on its node", events)
		}
		writes := len(c.StatusWrites("a"))
		c.wait(2 * time.Minute)
		if got := len(c.StatusWrites("a")); got != writes {
			t.Errorf("%d writes of the status while nothing changed", got-writes)
		}
		c.say("up", "the query took too long")
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for a result of the query up (the query took too long)`)
		if events := c.held(); len(events) > 0 {
			t.Errorf("events %q, want none for the same gate", events)
		}
		c.say("up", "")
		c.wantGivenBack()
	})
}

func TestNodeIsKeptForAnotherGate(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0), queryGate("ready", 0)), func(c *cluster) {
		c.take()
		c.prometheus.say("up", down)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.say("ready", down) // only now: of two that fail, either may be answered first
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		if events := c.held(); len(events) != 2 {
			t.Errorf("events %q, want one on the hold and one on its node", events)
		}
		c.say("up", "")
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for a result of the query ready (the query has no result)`)
		if events := c.held(); len(events) != 2 {
			t.Errorf("events %q, want one on the hold and one on its node for the change", events)
		}
	})
}

// What was found out for the start says nothing of the node after its maintenance.
func TestReleaseAsksAnew(t *testing.T) {
	gates := []v1beta1.PolicyGate{queryGate("up", 0)}
	inCluster(t, []*v1beta1.MaintenancePolicy{policy("workers", v1beta1.PolicyGates{Start: gates, Release: gates})}, func(c *cluster) {
		c.take()
		c.gates.Check([]decision.GateKey{{Hold: drainertest.UID("a"), Policy: "workers"}})
		c.wait(0)
		c.prometheus.say("up", down)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.say("up", "")
		c.wantGivenBack()
	})
}

// An idle hold asks for nothing either.
func TestIdleHoldWaitsForTheGates(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.take()
		c.prometheus.say("up", down)
		c.change("a", drainertest.SetStage(v1beta1.StageIdle))
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.say("up", "")
		c.wantCordoned(false)
		if hold := c.hold("a"); hold.Status.LastError != "" || len(hold.Status.Conditions) != 3 {
			t.Errorf("the hold still says that the node is kept: %+v", hold.Status)
		}
	})
}

// The time of the release counts over restarts, and its end changes nothing but what is said.
func TestReleaseTimesOut(t *testing.T) {
	const timedOut = keepsMessage + "; that takes longer than 10m0s, so node worker-1 stays cordoned: it is given back when the gate passes; " +
		"to give the node back as it is, set spec.bypassPolicies and spec.reason"
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.take()
		c.prometheus.say("up", down)
		c.delete("a")
		began := c.admitter.entries[drainertest.NodeName].ReleaseTime.DeepCopy()
		c.wait(8 * time.Minute)
		c.stop()
		c.start()
		c.wait(time.Minute)
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.wait(time.Minute)
		c.wantKept(v1beta1.ReasonReleaseTimedOut, timedOut)
		if got := c.admitter.entries[drainertest.NodeName].ReleaseTime; !got.Equal(began) {
			t.Errorf("the ledger says %s, want %s as before the restart", got, began)
		}
		c.wait(time.Hour)
		c.wantKept(v1beta1.ReasonReleaseTimedOut, timedOut)
		c.say("up", "")
		c.wantGivenBack()
	})
}

// Who may bypass policies gets the node back, whatever the gates say.
func TestBypass(t *testing.T) {
	bypass := func(hold *v1beta1.NodeMaintenance) { hold.Spec.BypassPolicies = true }
	tests := map[string]func(c *cluster){
		"before the delete": func(c *cluster) {
			c.change("a", bypass)
			c.delete("a")
		},
		"during it": func(c *cluster) {
			c.delete("a")
			c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
			c.change("a", bypass)
		},
		"after the time is over": func(c *cluster) {
			c.delete("a")
			c.wait(time.Hour)
			c.wantKept(v1beta1.ReasonReleaseTimedOut, keepsMessage)
			c.change("a", bypass)
		},
		"during a restart": func(c *cluster) {
			c.delete("a")
			c.stop()
			c.change("a", bypass)
			c.wantCordoned(true)
			c.start()
		},
	}
	for name, meet := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
				c.prometheus.say("up", down)
				c.take()
				meet(c)
				c.wantGivenBack()
			})
		})
	}
}

// The hold of a ScheduledEvent bypasses policies for the start alone: what comes back has to pass the gates. A person who
// may bypass policies gets the node back with a hold of their own.
func TestBypassOfAnEvent(t *testing.T) {
	ofEvent := func(hold *v1beta1.NodeMaintenance) {
		hold.Spec.Requestor, hold.Spec.BypassPolicies = v1beta1.EventRequestor+"reboot", true
	}
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.prometheus.say("up", down)
		c.take()
		c.change("a", ofEvent)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.wait(time.Hour)
		c.wantKept(v1beta1.ReasonReleaseTimedOut, keepsMessage+"; that takes longer than 10m0s, so node worker-1 stays cordoned: it is given back "+
			"when the gate passes; to give the node back as it is, create a NodeMaintenance of your own for it")
		c.Add(drainertest.Hold{Name: "b", Change: func(h *v1beta1.NodeMaintenance) { h.Spec.BypassPolicies = true }}.Object())
		c.wait(time.Minute)
		c.delete("b")
		c.wantGivenBack()
	})
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.prometheus.say("up", down)
		c.take()
		c.change("a", ofEvent)
		c.delete("a")
		c.say("up", "")
		c.wantGivenBack()
	})
}

// Only a hold that took the node out of service can skip the gates for it.
func TestBypassOfAnotherHold(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.prometheus.say("up", down)
		c.take()
		c.Add(drainertest.Hold{Name: "b", Stage: v1beta1.StageIdle, Change: func(h *v1beta1.NodeMaintenance) { h.Spec.BypassPolicies = true }}.Object())
		c.wait(time.Second)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
	})
}

// A node that is wanted again is not waited for any more, and its next release begins anew.
func TestNodeIsWantedAgain(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.prometheus.say("up", down)
		c.take()
		c.change("a", drainertest.SetStage(v1beta1.StageIdle))
		c.wait(time.Hour)
		c.wantKept(v1beta1.ReasonReleaseTimedOut, keepsMessage)
		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		if hold := c.hold("a"); hold.Status.LastError != "" || hold.Status.Phase != v1beta1.PhaseSucceeded {
			t.Errorf("the hold says %+v, want a drained node", hold.Status)
		}
		c.wait(keepsFor + askInterval)
		asked := c.prometheus.all()
		c.wait(time.Hour)
		if got := c.prometheus.all(); got != asked {
			t.Errorf("%d queries although nobody wants to give the node back", got-asked)
		}
		c.change("a", drainertest.SetStage(v1beta1.StageIdle))
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
	})
}

// While it is not known whether another hold wants the node, the time of its release goes on.
func TestHoldOfAnUnknownStageDoesNotResetTheRelease(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.take()
		c.prometheus.say("up", down)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		began := c.admitter.entries[drainertest.NodeName].ReleaseTime.DeepCopy()
		c.wait(5 * time.Minute)
		c.Add(drainertest.Hold{Name: "b", Stage: "Later"}.Object())
		c.wait(5 * time.Minute)
		c.change("b", drainertest.SetStage(v1beta1.StageIdle))
		c.wantKept(v1beta1.ReasonReleaseTimedOut, keepsMessage)
		if got := c.admitter.entries[drainertest.NodeName].ReleaseTime; !got.Equal(began) {
			t.Errorf("the ledger says that the node is kept since %s, want %s", got, began)
		}
	})
}

func TestNodeThatIsGoneWaitsForNothing(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.prometheus.say("up", down)
		c.take()
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
		c.Remove(c.node())
		c.wait(time.Second)
		if hold := c.hold("a"); hold != nil {
			t.Errorf("the hold is still there: %+v", hold.Status)
		}
	})
}

// The policies count that select the node now, and those that it was admitted under.
func TestWhosePolicyCounts(t *testing.T) {
	for name, test := range map[string]struct {
		admittedUnder string
		node          string // of the ledger's entry
		selects       bool
		wantKept      bool
	}{
		"it selects the node":                {selects: true, wantKept: true},
		"it selected it":                     {admittedUnder: "workers", wantKept: true},
		"it selected a former node":          {admittedUnder: "workers", node: "old"},
		"another one selected it":            {admittedUnder: "others"},
		"it never had to do with the node":   {},
		"it selects it, and selected it":     {admittedUnder: "workers", selects: true, wantKept: true},
		"it selects it, another selected it": {admittedUnder: "others", selects: true, wantKept: true},
	} {
		t.Run(name, func(t *testing.T) {
			policies := releasePolicy(queryGate("up", 0))
			if !test.selects {
				policies[0].Spec.NodeSelector.MatchLabels = map[string]string{"zone": "z"}
			}
			inCluster(t, policies, func(c *cluster) {
				entry := c.admitter.entries[drainertest.NodeName]
				if test.admittedUnder != "" {
					entry.Policies = []v1beta1.LedgerPolicy{{Name: test.admittedUnder}}
				}
				if test.node != "" {
					entry.NodeUID = drainertest.UID(test.node)
				}
				c.prometheus.say("up", down)
				c.take()
				c.delete("a")
				if test.wantKept {
					c.wantKept(v1beta1.ReasonReleaseGate, keepsMessage)
				} else {
					c.wantGivenBack()
				}
			})
		})
	}
}

// A policy that cannot be read may have gates: it keeps the nodes that were admitted under it, until somebody skips its gates.
func TestUnreadablePolicyKeepsItsNodes(t *testing.T) {
	for name, admittedUnder := range map[string]string{"admitted under it": "workers", "admitted under another one": "others"} {
		t.Run(name, func(t *testing.T) {
			policies := releasePolicy()
			policies[0].Spec, policies[0].Annotations = v1beta1.MaintenancePolicySpec{}, map[string]string{v1beta1.UnreadableAnnotation: "bits flipped"}
			inCluster(t, policies, func(c *cluster) {
				c.admitter.entries[drainertest.NodeName].Policies = []v1beta1.LedgerPolicy{{Name: admittedUnder}}
				c.take()
				c.delete("a")
				if admittedUnder == "workers" {
					c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": what is stored of it cannot be read, so it is not known which release gates node `+
						drainertest.NodeName+` must pass: bits flipped; `+skipBySpec)
					c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.BypassPolicies = true })
				}
				c.wantGivenBack()
			})
		})
	}
}

// While the ledger is not known, it is not known either whose gates are to pass.
func TestLedgerIsNotKnownYet(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.take()
		c.admitter.knows(false)
		c.delete("a")
		c.wait(unsaidFor / 2)
		c.wantCordoned(true)
		if got := c.hold("a").Status.LastError; got != "" {
			t.Errorf("the hold says %q, want nothing", got)
		}
		c.wait(unsaidFor)
		c.wantKept(v1beta1.ReasonReleaseGate, "waits until the server knows which release gates node worker-1 must pass")
		writes := len(c.StatusWrites("a"))
		c.wait(time.Minute)
		if got := len(c.StatusWrites("a")); got != writes {
			t.Errorf("%d writes of the status while nothing changed", got-writes)
		}
		c.admitter.knows(true)
		c.wait(2 * time.Second)
		c.wantGivenBack()
	})
}

// Some nodes need no gate whatever the ledger says.
func TestLedgerNeedNotBeKnown(t *testing.T) {
	for name, test := range map[string]struct {
		policies []*v1beta1.MaintenancePolicy
		change   func(c *cluster)
	}{
		"no policies": {},
		"bypassed": {policies: releasePolicy(queryGate("up", 0)), change: func(c *cluster) {
			c.change("a", func(h *v1beta1.NodeMaintenance) { h.Spec.BypassPolicies = true })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, test.policies, func(c *cluster) {
				c.prometheus.say("up", down)
				c.take()
				if test.change != nil {
					test.change(c)
				}
				c.admitter.knows(false)
				c.delete("a")
				c.wantGivenBack()
			})
		})
	}
}

// Nobody can be told why a node is kept that nobody holds, and nobody can skip its gates.
func TestNodeThatNobodyHoldsIsNotKept(t *testing.T) {
	inCluster(t, releasePolicy(queryGate("up", 0)), func(c *cluster) {
		c.prometheus.say("up", down)
		c.take()
		c.stop()
		c.Remove(c.hold("a")) // as a store does that is put back to an older state
		c.start()
		c.wait(time.Minute)
		c.wantCordoned(false)
	})
}

func TestNodeMustBeReadyForAWhile(t *testing.T) {
	gate := v1beta1.PolicyGate{NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 120}}
	inCluster(t, releasePolicy(gate), func(c *cluster) {
		c.take()
		requests := c.requests("list", "pods") + c.requests("list", "daemonsets")
		c.ready(corev1.ConditionFalse)
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for condition Ready of the node to be True (False since 2000-`)
		c.wait(time.Minute)
		c.ready(corev1.ConditionTrue)
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for condition Ready of the node to be True for 2m0s (since 2000-`)
		c.wait(118 * time.Second)
		c.wantCordoned(true)
		c.wait(time.Second)
		c.wantGivenBack()
		if got := c.prometheus.all() + c.requests("list", "pods") + c.requests("list", "daemonsets") - requests; got != 0 {
			t.Errorf("%d requests, want none for a condition", got)
		}
	})
}

func TestPodsOfDaemonSetsMustBeReady(t *testing.T) {
	inCluster(t, releasePolicy(v1beta1.PolicyGate{DaemonSetPodsReady: true}), func(c *cluster) {
		c.Add(daemonSet(nil), daemonSet(func(set *appsv1.DaemonSet) { // it comes only after the give-back
			set.Name, set.UID, set.Spec.Template.Spec.Tolerations = "log", "log", nil
		}))
		c.take()
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for ready pods of DaemonSets: kube-system/cni (no pod on the node)`)
		pod := podOf(unready)
		pod.UID, pod.Spec.NodeName = "cni-x", drainertest.NodeName
		c.Add(pod)
		c.wait(askInterval)
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for ready pods of DaemonSets: kube-system/cni (its pod is not ready)`)
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		c.Replace(pod)
		c.wait(askInterval)
		c.wantGivenBack()
	})
}

func TestListThatFails(t *testing.T) {
	inCluster(t, releasePolicy(v1beta1.PolicyGate{DaemonSetPodsReady: true}), func(c *cluster) {
		c.take()
		c.Inject(drainertest.Failing("list", "daemonsets", drainertest.ServerDown()))
		c.delete("a")
		c.wantKept(v1beta1.ReasonReleaseGate, `policy "workers": waits for ready pods of DaemonSets (the API server did not list DaemonSets)`)
		c.Heal()
		c.wait(askInterval)
		c.wantGivenBack()
	})
}

// What nobody has turned on costs nothing.
func TestWithoutGates(t *testing.T) {
	for name, policies := range map[string][]*v1beta1.MaintenancePolicy{
		"no policies":            nil,
		"policies without gates": {policy("a", v1beta1.PolicyGates{}), {ObjectMeta: metav1.ObjectMeta{Name: "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, policies, func(c *cluster) {
				c.take()
				c.wait(time.Hour)
				pods, sets := c.requests("list", "pods"), c.requests("list", "daemonsets")
				c.delete("a")
				c.wantGivenBack()
				c.wait(time.Hour)
				if c.requests("list", "pods") != pods || c.requests("list", "daemonsets") != sets || c.prometheus.all() != 0 {
					t.Errorf("requests for gates although there are none")
				}
			})
		})
	}
}
