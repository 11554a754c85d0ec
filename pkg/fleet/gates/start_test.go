// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// starting is a bubble with Gates at work, for start gates. Hold h-1 wants node w-1, and so on.
type starting struct {
	*Gates
	t          *testing.T
	prometheus *fakePrometheus
	admitter   *fakeAdmitter
	cluster    *fakeCluster
	stop       func()
}

// checksStarts runs a test in a bubble of its own time. What is left running fails it.
func checksStarts(t *testing.T, policies []*v1beta1.MaintenancePolicy, test func(s *starting)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &starting{t: t, prometheus: newFakePrometheus(), admitter: newFakeAdmitter(policies...), cluster: &fakeCluster{}}
		for i := range 20 {
			name := fmt.Sprintf("w-%d", i+1)
			s.cluster.nodes = append(s.cluster.nodes, drainertest.Node{Name: name}.Object())
			s.cluster.holds = append(s.cluster.holds, drainertest.Hold{Name: fmt.Sprintf("h-%d", i+1), Node: name}.Object())
		}
		gates, err := New(Config{Cluster: s.cluster, Admitter: s.admitter, Kube: fake.NewClientset(), Prometheus: s.prometheus})
		if err != nil {
			t.Fatal(err)
		}
		s.Gates = gates
		s.begin()
		defer func() { s.stop() }()
		test(s)
	})
}

// begin begins a term of leading.
func (s *starting) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		s.Run(ctx, func(string) {})
		close(ended)
	}()
	s.stop = func() {
		cancel()
		<-ended
		s.stop = func() {}
	}
}

func key(hold int, policy string) decision.GateKey {
	return decision.GateKey{Hold: drainertest.UID(fmt.Sprintf("h-%d", hold)), Policy: policy}
}

// after has the gates checked, and lets time pass.
func (s *starting) after(d time.Duration, keys ...decision.GateKey) {
	s.Check(keys)
	time.Sleep(d)
	synctest.Wait()
}

var passed = decision.GateAnswer{Passed: true}

func failed(message string) decision.GateAnswer {
	return decision.GateAnswer{Reason: v1beta1.AdmissionGateFailed, Message: message}
}

func (s *starting) wantAnswers(want map[decision.GateKey]decision.GateAnswer) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.Answers()); diff != "" {
		s.t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func startPolicy(name string, gates ...v1beta1.PolicyGate) []*v1beta1.MaintenancePolicy {
	return []*v1beta1.MaintenancePolicy{policy(name, v1beta1.PolicyGates{Start: gates})}
}

func TestStartGates(t *testing.T) {
	now := metav1.NewTime(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) // when a bubble begins
	tests := map[string]struct {
		gates []v1beta1.PolicyGate
		meet  func(s *starting)
		want  decision.GateAnswer
	}{
		"a query that passes": {gates: []v1beta1.PolicyGate{queryGate("up", 0)}, want: passed},
		"a query that does not": {
			gates: []v1beta1.PolicyGate{queryGate("up", 0)},
			meet:  func(s *starting) { s.prometheus.say("up", "the query has no result") },
			want:  failed("waits for a result of the query up (the query has no result)"),
		},
		"a query about the node": {
			gates: []v1beta1.PolicyGate{queryGate(`up{node="$(nodeName)"} or x{n="$(nodeName)"}`, 0)},
			meet:  func(s *starting) { s.prometheus.say(`up{node="w-1"} or x{n="w-1"}`, "no") },
			want:  failed(`waits for a result of the query up{node="w-1"} or x{n="w-1"} (no)`),
		},
		"no server of Prometheus": {
			gates: []v1beta1.PolicyGate{queryGate("up", 0)},
			meet:  func(s *starting) { s.config.Prometheus = nil },
			want:  failed("waits for Prometheus, but this server does not know any: set its flag --prometheus-url"),
		},
		"a condition that the node does not have": {
			gates: []v1beta1.PolicyGate{{NodeCondition: &v1beta1.NodeConditionGate{Type: "Happy"}}},
			want:  failed("waits for condition Happy of the node to be True (the node does not have it)"),
		},
		"a condition that the node has": {gates: []v1beta1.PolicyGate{{NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready"}}}, want: passed},
		"a drain that nothing blocks for good": {
			gates: []v1beta1.PolicyGate{{PlanUnblocked: true}},
			meet:  func(s *starting) { s.cluster.plan = &v1beta1.DrainPlanStatus{BlockedPodCount: 1} },
			want:  passed,
		},
		"a drain that something does": {
			gates: []v1beta1.PolicyGate{{PlanUnblocked: true}},
			meet:  func(s *starting) { s.cluster.plan = blockedPlan(5) },
			want: decision.GateAnswer{
				Reason:  v1beta1.AdmissionPlanBlocked,
				Message: "waits for pods that can never leave the node to be gone: web/p-1 (because), web/p-2 (because), web/p-3 (because) and 2 more",
			},
		},
		"no plan": {
			gates: []v1beta1.PolicyGate{{PlanUnblocked: true}},
			want:  failed("waits for a plan of the drain (it could not be worked out)"),
		},
		"a gate of a newer server": {gates: []v1beta1.PolicyGate{{}}, want: failed("waits for a gate of a kind that this server does not know")},
		"one of several": {
			gates: []v1beta1.PolicyGate{queryGate("up", 0), {NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready"}}, queryGate("down", 0)},
			meet:  func(s *starting) { s.prometheus.say("down", "no") },
			want:  failed("waits for a result of the query down (no)"),
		},
		"a condition that is younger": {
			gates: []v1beta1.PolicyGate{{NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 60}}},
			meet:  func(s *starting) { s.cluster.nodes[0].Status.Conditions[0].LastTransitionTime = now },
			want:  failed("waits for condition Ready of the node to be True for 1m0s (since 2000-01-01T00:00:00Z)"),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			checksStarts(t, startPolicy("p", test.gates...), func(s *starting) {
				if test.meet != nil {
					test.meet(s)
				}
				s.after(time.Second, key(1, "p"))
				s.wantAnswers(map[decision.GateKey]decision.GateAnswer{key(1, "p"): test.want})
				if got := s.admitter.times(); got != 1 {
					t.Errorf("the admitter was woken %d times, want once", got)
				}
			})
		})
	}
}

// blockedPlan is a plan with so many pods that can never leave.
func blockedPlan(pods int) *v1beta1.DrainPlanStatus {
	plan := &v1beta1.DrainPlanStatus{PermanentlyBlockedPodCount: int32(pods)}
	for i := range pods {
		plan.Pods = append(plan.Pods, v1beta1.PlannedPod{
			Pod: fmt.Sprintf("web/p-%d", i+1), Blocker: &v1beta1.DrainBlocker{Permanent: true, Message: "because"},
		})
	}
	return plan
}

// A query that hangs delays neither other policies, nor does it multiply.
func TestQueryThatHangs(t *testing.T) {
	policies := append(startPolicy("a", queryGate(`hang{node="$(nodeName)"}`, 0)), startPolicy("b", queryGate("up", 0))...)
	checksStarts(t, policies, func(s *starting) {
		var keys []decision.GateKey
		for i := range 20 {
			keys = append(keys, key(i+1, "a"))
			s.prometheus.hangs[fmt.Sprintf(`hang{node="w-%d"}`, i+1)] = true
		}
		s.after(0, append(keys, key(1, "b"))...)
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{key(1, "b"): passed})
		s.after(time.Minute, append(keys, key(1, "b"))...)
		if got := s.prometheus.most; got < perPolicy || got > perPolicy+1 { // and the one of the other policy
			t.Errorf("%d queries at a time, want %d of the policy", got, perPolicy)
		}
		hanging := failed(`waits for a result of the query hang{node="w-1"} (Prometheus did not answer within 5s)`)
		if diff := cmp.Diff(hanging, s.Answers()[key(1, "a")]); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		if got := s.prometheus.times("up"); got < 4 {
			t.Errorf("the other query was asked %d times in a minute, want every 15 s", got)
		}
	})
}

// A passing answer of a while ago does not let anything start. It is asked for anew.
func TestAnswersAreFresh(t *testing.T) {
	checksStarts(t, startPolicy("p", queryGate("up", 0)), func(s *starting) {
		all := map[decision.GateKey]decision.GateAnswer{key(1, "p"): passed}
		s.after(0, key(1, "p"))
		s.wantAnswers(all)
		time.Sleep(startLasts + time.Second)
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{})
		woken := s.admitter.times()
		s.after(0, key(1, "p"))
		s.wantAnswers(all)
		if got := s.admitter.times(); got != woken+1 {
			t.Errorf("the admitter was woken %d times for the answer, want once", got-woken)
		}
		if got := s.prometheus.times("up"); got != 2 {
			t.Errorf("the query was asked %d times, want 2", got)
		}
	})
}

// An answer that comes while the admitter decides without it wakes it, once.
func TestAnswerThatComesDuringADecision(t *testing.T) {
	checksStarts(t, startPolicy("p", queryGate("up", 0)), func(s *starting) {
		s.after(0, key(1, "p"))
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{key(1, "p"): passed})
		woken := s.admitter.times()
		time.Sleep(startLasts + time.Second)
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{}) // a decision begins
		time.Sleep(askInterval - startLasts)                      // and takes so long that it is asked again meanwhile
		s.after(0, key(1, "p"))
		if got := s.admitter.times(); got != woken+1 {
			t.Errorf("the admitter was woken %d times for the answer, want once", got-woken)
		}
	})
}

// Answers are told in the order in which they were worked out.
func TestAnswersAreToldInOrder(t *testing.T) {
	gate := v1beta1.PolicyGate{NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready"}}
	checksStarts(t, startPolicy("p", gate), func(s *starting) {
		s.after(0, key(1, "p"))
		woken := s.admitter.times()
		change := sync.OnceFunc(func() {
			node := s.cluster.nodes[0].DeepCopy()
			node.Status.Conditions = nil
			s.cluster.nodes[0], s.cluster.reading = node, nil
			s.reconsider()
		})
		s.cluster.reading = func() {
			if s.start.mu.TryLock() { // then another may work out and tell newer answers now
				s.start.mu.Unlock()
				change()
			}
		}
		s.reconsider()
		change()
		s.reconsider()
		if got := s.admitter.times(); got != woken+1 {
			t.Errorf("the admitter was woken %d times for a condition that is gone, want once", got-woken)
		}
	})
}

// Whatever asks again and again does not have the admitter decide again and again.
func TestSameAnswersWakeNobody(t *testing.T) {
	checksStarts(t, startPolicy("p", queryGate("up", 0), queryGate("down", 0)), func(s *starting) {
		s.prometheus.say("down", "no")
		s.admitter.then = func() { s.Check([]decision.GateKey{key(1, "p")}) } // as a decision does
		s.after(10*time.Minute, key(1, "p"))
		if got := s.admitter.times(); got != 1 {
			t.Errorf("the admitter was woken %d times in 10 minutes, want once", got)
		}
		s.prometheus.say("down", "")
		s.after(askInterval, key(1, "p"))
		if got := s.admitter.times(); got != 2 {
			t.Errorf("the admitter was woken %d times, want once more", got)
		}
	})
}

// A query must have passed for a time without a break, in one term of leading.
func TestQueryThatPassesForLong(t *testing.T) {
	checksStarts(t, startPolicy("p", queryGate("up", 60)), func(s *starting) {
		wantPassed := func(when string, want bool) {
			t.Helper()
			if got := s.Answers()[key(1, "p")].Passed; got != want {
				t.Errorf("%s: passed %t, want %t", when, got, want)
			}
		}
		s.after(0, key(1, "p"))
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{
			key(1, "p"): failed("waits for a result of the query up for 1m0s (since 2000-01-01T00:00:00Z)"),
		})
		s.after(59*time.Second, key(1, "p"))
		wantPassed("after 59 s", false)
		woken := s.admitter.times()
		time.Sleep(time.Second)
		synctest.Wait()
		wantPassed("after 60 s", true)
		if got := s.admitter.times(); got != woken+1 {
			t.Errorf("the admitter was woken %d times for it, want once", got-woken)
		}

		s.prometheus.say("up", "no")
		s.after(askInterval, key(1, "p"))
		s.prometheus.say("up", "")
		s.after(45*time.Second, key(1, "p"))
		wantPassed("less than 60 s after a break", false)
		s.after(45*time.Second, key(1, "p"))
		wantPassed("long after a break", true)

		s.stop()
		s.begin()
		s.after(50*time.Second, key(1, "p"))
		wantPassed("50 s after a new term has begun", false)
		s.after(15*time.Second, key(1, "p"))
		wantPassed("65 s after a new term has begun", true)
	})
}

// What nobody wants to know is not asked, and not known.
func TestNothingIsAskedInVain(t *testing.T) {
	checksStarts(t, startPolicy("p", queryGate("up", 0)), func(s *starting) {
		s.after(time.Hour)
		if got := s.prometheus.all(); got != 0 {
			t.Errorf("%d queries although nothing is to be checked", got)
		}
		s.after(time.Second, key(1, "p"))
		s.after(keepsFor + 2*askInterval)
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{})
		asked := s.prometheus.all()
		s.after(time.Hour)
		if got := s.prometheus.all(); got != asked {
			t.Errorf("%d queries in an hour in which nothing is to be checked", got-asked)
		}
	})
}

// A hold, a node or a policy that is gone is not checked.
func TestGatesOfWhatIsGone(t *testing.T) {
	checksStarts(t, startPolicy("p", queryGate("up", 0)), func(s *starting) {
		s.cluster.nodes = []*corev1.Node{s.cluster.nodes[1]}
		s.after(time.Second, key(1, "p"), key(2, "gone"), key(99, "p"))
		s.wantAnswers(map[decision.GateKey]decision.GateAnswer{})
	})
}
