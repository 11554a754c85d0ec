// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

// own is a pod that runs this server; the one named "own" is that of this process.
func own(name string) drainertest.Pod {
	return drainertest.Pod{Name: name, Change: drainertest.Replica}
}

func replica(name string, ready, leaving bool) replicas.Replica {
	return replicas.Replica{
		Pod: types.NamespacedName{Namespace: drainertest.Namespace, Name: name}, UID: drainertest.UID(name), Ready: ready, Leaving: leaving,
	}
}

func TestPodsOfThisServer(t *testing.T) {
	ready, here := replica("other", true, false), replica("own", true, false)
	critical := drainertest.Pod{Name: "critical", Priority: ptr.To[int32](2_000_000_000)}
	for name, test := range map[string]struct {
		pods     []drainertest.Pod
		replicas []replicas.Replica
		failure  string
		early    bool
		holds    []drainertest.Hold
		deletes  bool
		attempts map[types.UID]eviction.Attempt

		wantGoing []string
		// of the pod "own":
		wantTurn      int
		wantBlocked   bool
		wantPermanent bool
		wantMessage   string
		wantRecheck   bool
	}{
		"goes when it is the last, and another is ready": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here, ready},
			wantGoing: []string{"own"}, wantTurn: 1, wantRecheck: true,
		},
		"goes after all others, critical ones too": {
			pods: []drainertest.Pod{own("own"), critical, {Name: "web"}}, replicas: []replicas.Replica{here, ready},
			wantGoing: []string{"web"}, wantTurn: 3,
		},
		"goes after a higher order": {
			pods: []drainertest.Pod{own("own"), {Name: "db", App: "db"}}, replicas: []replicas.Replica{here, ready},
			holds:     []drainertest.Hold{{Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("db", v1beta1.ActionDrain, 1000)}}},
			wantGoing: []string{"db"}, wantTurn: 2,
		},
		"goes after what another hold evicts": {
			pods: []drainertest.Pod{own("own"), {Name: "db", App: "db"}}, replicas: []replicas.Replica{here, ready},
			holds:     []drainertest.Hold{{Name: "a", SelectApp: drainertest.App}, {Name: "b", SelectApp: "db"}},
			wantGoing: []string{"db"}, wantTurn: 1,
		},
		"goes after what runs to completion": {
			pods:     []drainertest.Pod{own("own"), {Name: "job", DrainLabel: v1beta1.DrainLabelWaitCompleted}},
			replicas: []replicas.Replica{here, ready}, wantTurn: 1,
		},
		"goes although others stay": {
			pods:     []drainertest.Pod{own("own"), {Name: "skipped", DrainLabel: v1beta1.DrainLabelSkip}},
			replicas: []replicas.Replica{here, ready}, wantGoing: []string{"own"}, wantTurn: 1, wantRecheck: true,
		},
		"no other at all": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here}, wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantPermanent: true, wantMessage: "no other replica to go on: raise spec.replicas of Deployment server, or delete the pod",
		},
		"no other at all, before its turn": {
			pods: []drainertest.Pod{own("own"), {Name: "web"}}, replicas: []replicas.Replica{here}, wantGoing: []string{"web"}, wantTurn: 2,
			wantBlocked: true, wantPermanent: true, wantMessage: "no other replica to go on",
		},
		"another, which is not ready": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here, replica("other", false, false)}, wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantMessage: "no other replica is ready to go on: other is not ready: it is evicted as soon as one is",
		},
		"another, which is not ready, before its turn": {
			pods:      []drainertest.Pod{own("own"), {Name: "web"}},
			replicas:  []replicas.Replica{here, replica("other", false, false)},
			wantGoing: []string{"web"}, wantTurn: 2,
		},
		"another, which leaves its node as well": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here, replica("other", true, true)}, wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantMessage: "other is leaving",
		},
		"not known": {
			pods: []drainertest.Pod{own("own")}, failure: "no answer", wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantMessage: "not known whether another replica is ready: no answer",
		},
		"has an emptyDir, and those of others block": {
			pods:  []drainertest.Pod{{Name: "own", Change: drainertest.Replica, Volumes: []corev1.Volume{drainertest.EmptyDir()}}},
			holds: []drainertest.Hold{{Name: "a", Blocking: true}}, replicas: []replicas.Replica{here, ready},
			wantGoing: []string{"own"}, wantTurn: 1, wantRecheck: true,
		},
		"two on the node and none elsewhere": {
			pods: []drainertest.Pod{own("own"), own("other")}, replicas: []replicas.Replica{here, ready},
			wantGoing: []string{"other"}, wantTurn: 1, wantRecheck: true, wantBlocked: true, wantMessage: "other is leaving",
		},
		"two on the node, of which one was evicted": {
			pods: []drainertest.Pod{own("own"), own("other")}, replicas: []replicas.Replica{here, ready},
			attempts: map[types.UID]eviction.Attempt{drainertest.UID("other"): {Evicted: drainertest.Epoch}},
			wantTurn: 1, wantRecheck: true, wantBlocked: true, wantMessage: "other is leaving",
		},
		"two on the node and one elsewhere": {
			pods: []drainertest.Pod{own("own"), own("other")}, replicas: []replicas.Replica{here, ready, replica("third", true, false)},
			wantGoing: []string{"own", "other"}, wantTurn: 1, wantRecheck: true,
		},
		"the leader is new": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here, ready}, early: true, wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantMessage: "the leader has just changed: it is evicted 40 seconds after that at the earliest",
		},
		"the leader is new, before its turn": {
			pods: []drainertest.Pod{own("own"), {Name: "web"}}, replicas: []replicas.Replica{here, ready}, early: true,
			wantGoing: []string{"web"}, wantTurn: 2,
		},
		"the leader is new, and no other at all": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here}, early: true, wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantPermanent: true, wantMessage: "no other replica to go on",
		},
		"past the deadline, after all others": {
			pods: []drainertest.Pod{own("own"), {Name: "web"}}, replicas: []replicas.Replica{here, ready}, deletes: true,
			wantGoing: []string{"web"}, wantTurn: 2,
		},
		"past the deadline, the last": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here, ready}, deletes: true,
			wantGoing: []string{"own"}, wantTurn: 1, wantRecheck: true,
		},
		"past the deadline, without another": {
			pods: []drainertest.Pod{own("own")}, replicas: []replicas.Replica{here}, deletes: true, wantTurn: 1, wantRecheck: true,
			wantBlocked: true, wantPermanent: true, wantMessage: "no other replica to go on",
		},
	} {
		t.Run(name, func(t *testing.T) {
			pods := drainertest.Objects(test.pods)
			if test.holds == nil {
				test.holds = []drainertest.Hold{{Name: "a"}}
			}
			in := Input{
				Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holdsOf(test.holds...), Attempts: test.attempts,
				Replicas: replicas.Facts{Server: replicas.Of(pods[0]), Replicas: test.replicas, Failure: test.failure, Early: test.early}, Now: drainertest.Epoch,
			}
			in.Holds[0].Deletes = test.deletes
			plan := Make(in)

			var going []string
			for _, e := range plan.Evictions() {
				going = append(going, e.Pod.Name)
			}
			if diff := cmp.Diff(test.wantGoing, going); diff != "" {
				t.Errorf("evictions (-want +got):\n%s", diff)
			}
			wantReplicas := slices.DeleteFunc(slices.Clone(test.wantGoing), func(name string) bool { return name != "own" && name != "other" })
			if len(plan.Replicas()) != len(wantReplicas) {
				t.Errorf("the replicas that go are %v, want %v", plan.Replicas(), wantReplicas)
			}
			if lost := plan.Report(drainertest.UID("a"), nil).EmptyDirPods; lost != nil {
				t.Errorf("data are lost with the pods %v", lost)
			}
			got := plan.Pods[slices.IndexFunc(pods, func(p *corev1.Pod) bool { return p.Name == "own" })]
			if got.turn != test.wantTurn {
				t.Errorf("it goes in turn %d, want %d", got.turn, test.wantTurn)
			}
			blocker := v1beta1.DrainBlocker{}
			if got.Blocker != nil {
				blocker = *got.Blocker
			}
			if (blocker.Reason == v1beta1.BlockerOwnPod) != test.wantBlocked || blocker.Permanent != test.wantPermanent ||
				!strings.Contains(blocker.Message, test.wantMessage) {
				t.Errorf("blocker %+v, want one: %t, permanent: %t, %q", blocker, test.wantBlocked, test.wantPermanent, test.wantMessage)
			}
			if again := plan.Recheck.Equal(drainertest.Epoch.Add(5 * time.Second)); again != test.wantRecheck {
				t.Errorf("the next look is at %v; want one after 5 seconds: %t", plan.Recheck, test.wantRecheck)
			}
		})
	}
}
