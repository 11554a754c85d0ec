// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// wantBlocked wants a person to have something to do for an event; nothing if the reason is empty.
func (w *world) wantBlocked(name, reason, message string) {
	w.t.Helper()
	blocked := apimeta.FindStatusCondition(w.get(name).Status.Conditions, v1beta1.ConditionBlocked)
	is := blocked != nil && blocked.Status == metav1.ConditionTrue
	if is != (reason != "") || is && (blocked.Reason != reason || !strings.Contains(blocked.Message, message)) {
		w.t.Errorf("event %s says %+v, want %q: %q", name, blocked, reason, message)
	}
}

// A hold that this server does not let go is told, and goes later.
func TestDeleteIsRefused(t *testing.T) {
	for _, failure := range []error{drainertest.NotYou("nodemaintenances"), drainertest.ServerDown()} {
		inWorld(t, func(w *world) {
			node := w.cloud.worker()
			w.start()
			w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(30*time.Minute))
			w.wait(time.Minute)
			w.Inject(drainertest.Failing("delete", "nodemaintenances", failure))
			w.setState("reboot", v1beta1.EventCanceled)
			w.wait(5 * time.Minute)
			w.wantPhase("reboot", v1beta1.EventPhaseReturning)
			w.wantBlocked("reboot", decision.ReasonHoldRefused, failure.Error())
			w.Heal()
			w.wait(3 * time.Minute)
			w.wantPhase("reboot", v1beta1.EventPhaseCanceled)
			w.wantBlocked("reboot", "", "")
		})
	}
}

// A webhook that fails is told, and one that changes what the server writes is not written against without end.
func TestWebhooks(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.Inject(drainertest.Failing("create", "nodemaintenances", drainertest.ServerDown()))
		w.start()
		w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(30*time.Minute))
		w.wait(5 * time.Minute)
		w.wantBlocked("reboot", decision.ReasonHoldRefused, "the server is down")
		w.Heal()
		var writes atomic.Int64
		w.Inject(func(action clienttesting.Action) (bool, error) {
			if write, is := action.(clienttesting.CreateAction); is && drainertest.OfMain(action) {
				if hold, is := write.GetObject().(*v1beta1.NodeMaintenance); is {
					writes.Add(1)
					hold.Spec.Drain.Rules = []v1beta1.DrainRule{{Action: v1beta1.ActionSkip}}
				}
			}
			return false, nil
		})
		w.wait(10 * time.Minute)
		w.wantBlocked("reboot", decision.ReasonHoldRefused, "webhook")
		if got := writes.Load(); got < 2 || got > 12 {
			t.Errorf("the hold was written %d times in 10 minutes, want once a minute", got)
		}
		w.Heal()
		w.wait(3 * time.Minute)
		w.wantPhase("reboot", v1beta1.EventPhaseDrained)
		w.wantBlocked("reboot", "", "")
	})
}

// forbid has the machine API refuse requests until the returned switch is off.
func (c *cloud) forbid(verb, kind string) *atomic.Bool {
	on := &atomic.Bool{}
	on.Store(true)
	c.server.Fault = func(did string, of schema.GroupVersionKind, _ string) error {
		if on.Load() && did == verb && of.Kind == kind {
			return drainertest.NotYou("machines")
		}
		return nil
	}
	return on
}

// What keeps machines from being changed, or looked at, is told.
func TestMachinesAreRefused(t *testing.T) {
	for verb, kind := range map[string]string{"update": "MachineSet", "get": "Machine"} {
		t.Run(verb, func(t *testing.T) {
			inWorld(t, func(w *world) {
				node := w.cloud.worker()
				refused := w.cloud.forbid(verb, kind)
				refused.Store(verb == "update")
				w.start()
				w.event("stop", v1beta1.CodeInstanceStop, node, notBefore(24*time.Hour))
				w.wait(15 * time.Second)
				refused.Store(true)
				w.wait(5 * time.Minute)
				if got := w.get("stop").Status.WaitingFor; !strings.Contains(got, "not you") || !strings.Contains(got, "--machine-api") {
					t.Errorf("waits for %q, want why machines cannot be changed", got)
				}
				refused.Store(false)
				w.wait(15 * time.Minute)
				w.wantPhase("stop", v1beta1.EventPhaseCompleted)
				w.wantRest("stop", node)
			})
		})
	}
}

// A machine that cannot be asked for its node is told, and keeps nobody from deleting the event.
func TestMachineCannotBeAsked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cloud.worker()
		w.cloud.forbid("get", "Machine")
		w.start()
		w.event("stop", v1beta1.CodeInstanceStop, "", func(event *v1beta1.ScheduledEvent) {
			event.Spec.MachineRef = &v1beta1.MachineReference{APIGroup: v1beta1.OpenShiftMachineGroup, Namespace: machinesNamespace, Name: "m-01"}
		})
		w.wait(time.Minute)
		w.wantBlocked("stop", decision.ReasonNodeNotFound, "not you")
		w.Delete(w.get("stop"))
		w.wait(time.Minute)
		if event := w.get("stop"); event != nil {
			t.Errorf("the event is still there: %+v", event.Status)
		}
	})
}

// An event that cannot be read keeps its node as it is, and so does a policy that cannot be read and may say what is done.
func TestUnreadable(t *testing.T) {
	inWorld(t, func(w *world) {
		one, other := w.cloud.worker(), w.cloud.worker()
		w.start()
		w.event("one", v1beta1.CodeInstanceReboot, one, notBefore(30*time.Minute))
		w.wait(time.Minute)
		stored := w.get("one")
		drainertest.Lose(w.Server, stored, func(*v1beta1.ScheduledEvent) {})
		w.event("other", v1beta1.CodeInstanceReboot, other, notBefore(30*time.Minute))
		w.wait(10 * time.Minute)
		if w.holdOf("one", one) == nil || w.holdOf("other", other) == nil {
			t.Error("a node is not held: want the one as it was, and the other one too")
		}
		w.Replace(stored)
		w.setState("one", v1beta1.EventCanceled)
		w.wait(3 * time.Minute)
		w.wantPhase("one", v1beta1.EventPhaseCanceled)

		policy := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
		w.Add(policy)
		drainertest.Lose(w.Server, policy, func(*v1beta1.MaintenancePolicy) {})
		w.wait(time.Second) // until the caches show it
		w.event("third", v1beta1.CodeInstanceReboot, one, notBefore(30*time.Minute))
		w.wait(10 * time.Minute)
		if w.holdOf("third", one) != nil {
			t.Error("the node is held, although a policy that cannot be read may say that nothing is done")
		}
		w.Remove(policy)
		w.wait(2 * time.Minute)
		if w.holdOf("third", one) == nil {
			t.Error("the node is not held, although the policy is gone")
		}
	})
}
