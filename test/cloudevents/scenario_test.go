// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// scenario is a cluster of 20 machines in 3 zones, and what its cloud announces.
type scenario struct {
	*own
	// a, b and c are the workers of a zone, and masters is the control plane.
	a, b, c, masters *crew
	// lonely is a node of zone a whose machine has no owner.
	lonely string
	// before are the nodes of each zone. The lonely one is the first of its zone.
	before map[*crew][]string
	// pods are the pods of the nodes that are drained.
	pods map[*crew][]types.UID
	// replaced are the machines that are to be replaced.
	replaced map[*crew][]string
	// canceled, completed, due, frozen, ownerless and master are the events.
	canceled, completed, due, frozen, ownerless, master string
}

// Six events of all kinds, of 20 machines in 3 zones: one of the control plane, one that is canceled, one that is completed,
// one that is due, one in a freeze, and one of a machine without owner. The server is killed in the middle. What is to be
// replaced is replaced once, what is to stay stays, nobody drains twice, and all nodes are given back.
func (o *own) scenario(t *testing.T) {
	s := &scenario{own: o}
	s.build(t)
	s.announce(t)
	s.middle(t)
	o.crash(t)
	s.goOn(t)
	s.controlPlaneGoesLast(t)
	s.end(t)
}

// build makes the machines, and pods on all of them.
func (s *scenario) build(t *testing.T) {
	s.a, s.b, s.c = s.zone(t, "zone-a", 5), s.zone(t, "zone-b", 6), s.zone(t, "zone-c", 5)
	s.masters = s.newControlPlane(t, openShift())
	s.lonely = s.a.Nodes[0]
	s.a.addMachine(t, openShift(), "lonely", s.lonely, s.a.Name+"-lonely", nil)
	s.before, s.pods, s.replaced = map[*crew][]string{}, map[*crew][]types.UID{}, map[*crew][]string{}
	machines := 0
	for _, zone := range []*crew{s.a, s.b, s.c, s.masters} {
		s.before[zone] = zone.nodes(t)
		machines += len(s.before[zone])
		zone.Run(t, zone.Cluster.Workload(zone.Name).Deployment("web", 12, zone.Selector()).Budget("web", localcluster.MaxUnavailable("4")))
	}
	if machines != 20 {
		t.Fatalf("there are %d machines, want 20", machines)
	}
	s.c.Policy(t, "frozen", frozen(nil))
	s.masters.WantMostCordoned(t, 1)
}

// zone makes the workers of a zone. That of zone a has one node more.
func (s *scenario) zone(t *testing.T, name string, count int64) *crew {
	t.Helper()
	extra := 0
	if name == "zone-a" {
		extra = 1
	}
	p := poolOf(t, s.Env, extra)
	return p.crew(t, openShift(), openShift().sets, "MachineSet", count,
		machineplayer.Labels(map[string]string{env.PoolLabel: p.Name, corev1.LabelTopologyZone: name}), machineplayer.Delay(time.Second))
}

// drained is a node of a zone that is to be drained: its pods are followed.
func (s *scenario) drained(t *testing.T, zone *crew, node string) string {
	t.Helper()
	zone.Boot(t, node, "first")
	s.pods[zone] = append(s.pods[zone], zone.podUIDs(t, node)...)
	return node
}

// announce announces the events. New machines of the zones a and b do not become nodes for now.
func (s *scenario) announce(t *testing.T) {
	s.a.player.Hold()
	s.b.player.Hold()
	soon := func(spec v1beta1.ScheduledEventSpec) v1beta1.ScheduledEventSpec {
		spec.NotBefore = inFuture(time.Minute)
		return spec
	}
	stop, maintenance := retire(s.before[s.a][1]), rebootOf(s.drained(t, s.c, s.before[s.c][0]), 48*time.Hour)
	stop.Code, maintenance.Code = v1beta1.CodeInstanceStop, v1beta1.CodeSystemMaintenance
	s.replaced[s.b] = []string{s.b.machineOf(t, s.before[s.b][0])}
	s.replaced[s.masters] = []string{s.masters.machineOf(t, s.before[s.masters][0])}
	s.canceled = s.a.announce(t, "canceled", stop)
	s.due = s.b.announce(t, "due", soon(retire(s.drained(t, s.b, s.before[s.b][0]))))
	s.completed = s.b.announce(t, "completed", rebootOf(s.drained(t, s.b, s.before[s.b][1]), time.Minute))
	s.frozen = s.c.announce(t, "frozen", maintenance)
	s.ownerless = s.a.announce(t, "ownerless", soon(retire(s.drained(t, s.a, s.lonely))))
	s.master = s.masters.announce(t, "master", retire(s.drained(t, s.masters, s.before[s.masters][0])))
}

// middle waits until all events are in the middle of something.
func (s *scenario) middle(t *testing.T) {
	s.a.step(t, s.canceled, v1beta1.StepAwaitNewNode)
	s.b.step(t, s.due, v1beta1.StepAwaitNewNode)
	s.b.is(t, s.completed, v1beta1.EventPhaseDrained)
	s.a.blocked(t, s.ownerless, decision.ReasonNoOwner)
	s.a.is(t, s.ownerless, v1beta1.EventPhaseDrained)
	s.c.wait(t, s.frozen, "it waits for its time", func(event *v1beta1.ScheduledEvent) bool { return event.Status.Maintenance != "" })
	s.masters.wait(t, s.master, "it waits for the workers", func(event *v1beta1.ScheduledEvent) bool {
		return strings.Contains(event.Status.WaitingFor, "goes after the workers")
	})
	s.c.free(t, s.before[s.c][0])
	s.masters.free(t, s.before[s.masters][0])
}

// goOn ends the events of the workers.
func (s *scenario) goOn(t *testing.T) {
	s.a.state(t, s.canceled, v1beta1.EventCanceled)
	s.b.state(t, s.completed, v1beta1.EventCompleted)
	s.a.player.Release()
	s.b.player.Release()
	s.c.startsIn(t, s.frozen, 5*time.Second)
	s.c.is(t, s.frozen, v1beta1.EventPhaseDrained)
	s.c.WaitForEvent(t, "ScheduledEvent", s.frozen, decision.ReasonStartedInSpiteOfPolicies)
	s.c.reboot(t, s.before[s.c][0])
	s.c.is(t, s.frozen, v1beta1.EventPhaseCompleted)
	s.b.is(t, s.completed, v1beta1.EventPhaseCompleted)
	s.b.replaced(t, s.due)
	s.a.waitWithin(t, replaceTimeout, s.canceled, "it is canceled", func(event *v1beta1.ScheduledEvent) bool {
		return event.Status.Phase == v1beta1.EventPhaseCanceled
	})
}

// controlPlaneGoesLast has a person see to the machine without owner. Only then it is the turn of the control plane.
func (s *scenario) controlPlaneGoesLast(t *testing.T) {
	s.masters.free(t, s.before[s.masters][0])
	if err := s.Kube.CoreV1().Nodes().Delete(t.Context(), s.lonely, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	last := s.a.is(t, s.ownerless, v1beta1.EventPhaseCompleted)
	if done := s.masters.replaced(t, s.master); done.Status.DrainStartTime.Before(last.Status.EndTime) {
		t.Errorf("the drain of the control plane began at %s, before the workers were done at %s", done.Status.DrainStartTime, last.Status.EndTime)
	}
}

// end checks what there is at the end.
func (s *scenario) end(t *testing.T) {
	s.a.complete(t, 6) // with that of the lonely node
	s.a.wantNodes(t, s.before[s.a])
	for zone, want := range map[*crew]int64{s.a: 5, s.b: 6, s.c: 5, s.masters: 3} {
		if zone != s.a {
			zone.complete(t, int(want))
			zone.wantDeleted(t, s.replaced[zone]...)
		}
		zone.wantReplicas(t, want)
		for _, node := range zone.nodes(t) {
			if node != s.lonely {
				zone.WaitUntilCleanNode(t, node)
			}
		}
		zone.noHolds(t)
		zone.WantEvictedOnce(t, s.pods[zone])
	}
}
