// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// random makes scenes.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 7))} }

func one[T any](r random, of ...T) T { return of[r.IntN(len(of))] }

func (r random) chance(percent int) bool { return r.IntN(100) < percent }

// moment is within the days around the start of a random scene.
func (r random) moment() time.Time {
	return at("2026-03-28T12:00:00Z").Add(time.Duration(r.IntN(72*3600)-24*3600) * time.Second)
}

func (r random) end() *metav1.Time {
	if r.chance(40) {
		return nil
	}
	return &metav1.Time{Time: r.moment()}
}

// scene is a random profile on a node, in the days in which clocks in Berlin and Beirut are put forward.
func (r random) scene(t *testing.T) *scene {
	s := newScene(t, now("2026-03-28T12:00:00Z"), since(r.moment().Format(time.RFC3339)), in(r.state()))
	s.Answers, s.Pods = map[string]evaluation.Answer{}, map[string]evaluation.PodAffinity{}
	s.HoldReached = one(r, "", v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain)
	r.node(s.Node)
	r.cluster(s)
	for i := range 2 + r.IntN(7) {
		name := fmt.Sprintf("c%d", i)
		check(name, r.check())(s)
		if r.chance(70) {
			s.Answers[name] = evaluation.Answer{Result: r.result(), Message: "answered"}
		}
	}
	for _, state := range []*v1beta1.ProfileStateSpec{
		&s.Profile.Spec.States.Operational, &s.Profile.Spec.States.MaintenanceRequired, &s.Profile.Spec.States.InMaintenance,
	} {
		r.ways(state, len(s.Profile.Spec.Checks))
	}
	r.ledger(s)
	for range r.IntN(5) {
		r.decision(s)
	}
	return s
}

func (r random) state() v1beta1.ProfileState {
	return one(r, v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired, v1beta1.ProfileInMaintenance)
}

func (r random) result() evaluation.Result {
	return one(r, evaluation.True, evaluation.True, evaluation.False, evaluation.Error)
}

func (r random) labels() map[string]string {
	return map[string]string{"k": one(r, "v", "x", "1.2.3", "1.2.4"), "zone": one(r, "a", "b", "")}
}

// node changes all of a node that checks ask for.
func (r random) node(n *corev1.Node) {
	n.Labels, n.Annotations = r.labels(), map[string]string{"k": one(r, "v", "x")}
	n.Spec.Unschedulable, n.Spec.Taints = r.chance(50), one(r, nil, []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}})
	n.Status.Conditions = []corev1.NodeCondition{{Type: "Ready", Status: one[corev1.ConditionStatus](r, "True", "False")}}
}

func (r random) cluster(s *scene) {
	for i := range r.IntN(4) {
		name := fmt.Sprintf("w-%d", i+2)
		other(name, r.labels())(s)
		carries(name, "p", r.state())(s)
		if r.chance(70) {
			s.Pods[name] = evaluation.PodAffinity{Prefers: r.chance(50), Pod: "ns/pod"}
		}
	}
	if r.chance(70) {
		s.Pods["w-1"] = evaluation.PodAffinity{Prefers: r.chance(50), Pod: "ns/pod"}
	}
}

func (r random) check() v1beta1.ProfileCheck { return one(r, r.checks()...) }

// checks are one of each kind at least, and one that only a newer version knows.
func (r random) checks() []v1beta1.ProfileCheck {
	zone := one(r, "", "Europe/Berlin", "Asia/Beirut")
	days := one(r, nil, []v1beta1.Weekday{"Sat"}, []v1beta1.Weekday{"Sun", "Mon"})
	clock := func() string { return fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)) }
	return []v1beta1.ProfileCheck{
		{NodeAnnotation: &v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("v")}},
		{NodeLabel: &v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("v")}},
		{AnyNode: &v1beta1.KeyValueCheck{Key: "k", Value: ptr.To("x")}},
		{NodeCondition: &v1beta1.NodeConditionCheck{Type: "Ready", Status: "True"}},
		{Node: &v1beta1.NodeExpressionCheck{Expression: "has(node.spec.taints)"}},
		{Object: &v1beta1.ObjectCheck{}},
		{NodeCount: &v1beta1.NodeCountCheck{Min: 3}},
		{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "k"}},
		{PodAffinity: &v1beta1.PodAffinityCheck{MinOperational: int32(r.IntN(3))}},
		{MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{
			Max: 1 + int32(r.IntN(2)), SkipAfterSeconds: one(r, nil, ptr.To(int64(r.IntN(48*3600)))),
			GroupBy: one(r, nil, []string{"zone"}),
		}},
		{Stagger: &v1beta1.StaggerCheck{Pool: "pool", Seconds: 60, Parallel: ptr.To(1 + int32(r.IntN(2)))}},
		{TimeWindow: &v1beta1.TimeWindowCheck{
			Start: clock(), End: clock(), TimeZone: zone, Weekdays: days, ExcludeDates: one(r, nil, []string{"03-29"}),
		}},
		{Wait: &v1beta1.WaitCheck{
			Seconds: int64(1 + r.IntN(48*3600)), TimeZone: zone, ExcludeWeekdays: days,
		}},
		{Approval: &v1beta1.ApprovalCheck{Approvers: ptr.To(1 + int32(r.IntN(2)))}},
		{Prometheus: &v1beta1.PrometheusCheck{}},
		{HTTP: &v1beta1.HTTPCheck{}},
		{},
	}
}

// ways fills a state with transitions, and perhaps a hold.
func (r random) ways(state *v1beta1.ProfileStateSpec, checks int) {
	if r.chance(40) {
		state.Hold = &v1beta1.ProfileHold{Stage: one(r, "", v1beta1.StageCordon, v1beta1.StageDrain)}
	}
	for i := range 1 + r.IntN(3) {
		state.Transitions = append(state.Transitions, v1beta1.ProfileTransition{
			Name: fmt.Sprintf("t%d", i), Check: r.chain(checks, 3), Next: r.state(),
		})
	}
}

func (r random) chain(checks, deep int) string {
	switch n := r.IntN(5); {
	case deep == 0 || n == 0:
		return fmt.Sprintf("c%d", r.IntN(checks))
	case n == 1:
		return "!(" + r.chain(checks, deep-1) + ")"
	default:
		return "(" + r.chain(checks, deep-1) + one(r, " && ", " || ") + r.chain(checks, deep-1) + ")"
	}
}

func (r random) ledger(s *scene) {
	for i := range r.IntN(4) {
		inLedger(fmt.Sprintf("w-%d", i+1), one(r, "p", "q"), r.moment().Format(time.RFC3339))(s)
	}
	pool := v1beta1.LedgerPool{Name: "pool"}
	for i := range r.IntN(4) {
		pool.Grants = append(pool.Grants, v1beta1.LedgerGrant{
			Node: fmt.Sprintf("w-%d", i+1), Profile: "p", Sequence: int64(1 + r.IntN(3)), Attempt: 1,
			Time: metav1.NewMicroTime(r.moment()), Seconds: int64(r.IntN(12 * 3600)),
		})
	}
	s.Ledger.Pools = []v1beta1.LedgerPool{pool}
	if r.chance(10) {
		s.Siblings = []*v1beta1.NodeProfile{onNode("w-1", "q", r.state())}
	}
}

func (r random) decision(s *scene) {
	decided(v1beta1.RecordedDecision{
		Decision:   one(r, v1beta1.ProfileApprove, v1beta1.ProfileApprove, v1beta1.ProfileVeto, v1beta1.ProfilePush),
		Transition: one(r, "", "t0", "t1"), By: one(r, "alice", "bob", "carol"), ExpirationTime: r.end(),
		Sequence: one[int64](r, 2, 3, 3, 3), UsedBy: one(r, "", "", "uid/3.1"),
	})(s)
}
