// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

func TestFindNode(t *testing.T) {
	a, b, twin := newNode("a"), newNode("b"), newNode("twin")
	twin.Spec.ProviderID = "aws:///elsewhere/i-b"
	ref := &v1beta1.MachineReference{Namespace: "infra", Name: "m"}
	tests := map[string]struct {
		spec    v1beta1.ScheduledEventSpec
		machine *MachineNode
		nodes   []*corev1.Node
		want    *corev1.Node
		reason  string
	}{
		"by name":             {spec: v1beta1.ScheduledEventSpec{NodeName: "b"}, want: b},
		"by instance":         {spec: v1beta1.ScheduledEventSpec{InstanceID: "i-b"}, want: b},
		"by part of the id":   {spec: v1beta1.ScheduledEventSpec{InstanceID: "b"}, reason: ReasonNodeNotFound},
		"by machine":          {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, machine: claim("b", b.UID, ""), want: b},
		"another UID":         {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, machine: claim("b", "old", ""), reason: ReasonNodeNotFound},
		"by provider ID":      {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, machine: claim("b", "", b.Spec.ProviderID), want: b},
		"another provider ID": {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, machine: claim("b", b.UID, "aws:///x/i-x"), reason: ReasonNodeNotFound},
		"a name alone":        {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, machine: claim("b", "", ""), reason: ReasonNodeNotFound},
		"machine not asked":   {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, reason: ReasonNodeNotFound},
		"machine says none":   {spec: v1beta1.ScheduledEventSpec{MachineRef: ref}, machine: &MachineNode{}, reason: ReasonNodeNotFound},
		"all mean the same":   {spec: v1beta1.ScheduledEventSpec{NodeName: "b", InstanceID: "i-b", MachineRef: ref}, machine: claim("b", b.UID, ""), want: b},
		"two nodes are meant": {spec: v1beta1.ScheduledEventSpec{NodeName: "a", InstanceID: "i-b"}, reason: ReasonNodeMismatch},
		"one is not there":    {spec: v1beta1.ScheduledEventSpec{NodeName: "a", InstanceID: "i-c"}, reason: ReasonNodeNotFound},
		"machine means other": {spec: v1beta1.ScheduledEventSpec{InstanceID: "i-b", MachineRef: ref}, machine: claim("a", a.UID, ""), reason: ReasonNodeMismatch},
		"twins":               {spec: v1beta1.ScheduledEventSpec{InstanceID: "i-b"}, nodes: []*corev1.Node{a, b, twin}, reason: ReasonAmbiguousNode},
		"twins, and a name":   {spec: v1beta1.ScheduledEventSpec{NodeName: "b", InstanceID: "i-b"}, nodes: []*corev1.Node{a, b, twin}, reason: ReasonAmbiguousNode},
	}
	for name, test := range tests {
		nodes := test.nodes
		if nodes == nil {
			nodes = []*corev1.Node{a, b}
		}
		got := FindNode(&v1beta1.ScheduledEvent{Spec: test.spec}, nodes, test.machine)
		if got.Node != test.want || got.Reason != test.reason || (got.Message == "") != (test.reason == "") {
			t.Errorf("%s: found %+v", name, got)
		}
	}
}

// claim is what a machine says of its node.
func claim(name string, uid types.UID, id string) *MachineNode {
	return &MachineNode{NodeClaim: replacement.NodeClaim{Name: name, UID: uid, ProviderID: id}}
}

// Once the drain has started, or once the node of a user's event was found, another node is never meant. An event of AWS
// follows its instance until then, and stays with its node when another one claims to be that instance.
func TestNodeStays(t *testing.T) {
	a, again := newNode("a"), newNode("a")
	again.UID = "new"
	named, instance := v1beta1.ScheduledEventSpec{NodeName: "a"}, v1beta1.ScheduledEventSpec{InstanceID: "i-a"}
	ofAWS := v1beta1.ScheduledEventSpec{InstanceID: "i-a", Source: v1beta1.AWSSource}
	twin := newNode("twin")
	twin.Spec.ProviderID = a.Spec.ProviderID
	met := v1beta1.ScheduledEventStatus{NodeName: "a", NodeUID: a.UID}
	started := v1beta1.ScheduledEventStatus{NodeName: "a", NodeUID: a.UID, DrainStartTime: &metav1.Time{Time: began}}
	for name, test := range map[string]struct {
		spec   v1beta1.ScheduledEventSpec
		status v1beta1.ScheduledEventStatus
		nodes  []*corev1.Node
		want   *corev1.Node
	}{
		"by name, new":                      {spec: named, nodes: []*corev1.Node{again}, want: again},
		"by name":                           {spec: named, status: met, nodes: []*corev1.Node{a}, want: a},
		"by name, made anew":                {spec: named, status: met, nodes: []*corev1.Node{again}},
		"by name, deleted":                  {spec: named, status: met},
		"by instance, made anew":            {spec: instance, status: met, nodes: []*corev1.Node{again}},
		"by instance, beside a twin":        {spec: instance, status: met, nodes: []*corev1.Node{twin, a}, want: a},
		"of AWS, made anew":                 {spec: ofAWS, status: met, nodes: []*corev1.Node{again}, want: again},
		"of AWS, beside a twin":             {spec: ofAWS, status: met, nodes: []*corev1.Node{twin, a}, want: a},
		"started":                           {spec: instance, status: started, nodes: []*corev1.Node{a}, want: a},
		"started by instance, made anew":    {spec: instance, status: started, nodes: []*corev1.Node{again}},
		"started by name, beside a new one": {spec: named, status: started, nodes: []*corev1.Node{again, a}, want: a},
	} {
		got := FindNode(&v1beta1.ScheduledEvent{Spec: test.spec, Status: test.status}, test.nodes, nil)
		if got.Node != test.want || got.Gone != (test.want == nil) || got.Reason != "" {
			t.Errorf("%s: found %+v", name, got)
		}
	}
}

func TestActionOf(t *testing.T) {
	says := func(name string, action v1beta1.EventAction) *v1beta1.MaintenancePolicy {
		return policyOf(name, &v1beta1.PolicyEvents{Actions: []v1beta1.PolicyEventAction{{Code: "x", Action: action}}})
	}
	none := policyOf("other", &v1beta1.PolicyEvents{})
	none.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "db"}}
	policies := PoliciesOf(newNode("a"), []*v1beta1.MaintenancePolicy{says("b", v1beta1.EventActionDrain), none, policyOf("0", nil), says("a", v1beta1.EventActionReplace)})
	if len(policies) != 3 || policies[0].Name != "0" || policies[2].Name != "b" {
		t.Fatalf("policies %v", policies)
	}
	tests := map[string]struct {
		action v1beta1.EventAction
		policy string
	}{
		"x": {v1beta1.EventActionReplace, "a"}, "y": {v1beta1.EventActionIgnore, ""},
		"instance-reboot": {v1beta1.EventActionDrain, ""}, "system-reboot": {v1beta1.EventActionDrain, ""}, "system-maintenance": {v1beta1.EventActionDrain, ""},
		"instance-stop": {v1beta1.EventActionReplace, ""}, "instance-retirement": {v1beta1.EventActionReplace, ""},
	}
	for code, test := range tests {
		if action, policy := ActionOf(code, policies); action != test.action || policy != test.policy {
			t.Errorf("%s: %s, %q", code, action, policy)
		}
	}
}

func TestTimesOf(t *testing.T) {
	nights := func(start, end string) *v1beta1.MaintenancePolicy {
		p := policyOf(start, nil)
		p.Spec.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{Name: "w", Weekly: &v1beta1.WeeklyTime{Start: start, End: end}}}}
		return p
	}
	never := nights("bad", "02:00")
	tests := map[string]struct {
		policies      []*v1beta1.MaintenancePolicy
		by            *time.Time
		surge         time.Duration
		replaces      bool
		latest, start time.Time
	}{
		"no time":             {by: &time.Time{}, start: began},
		"no schedule":         {latest: latest, start: latest.Add(-time.Hour)},
		"replaced":            {replaces: true, surge: time.Hour, latest: latest.Add(-time.Hour), start: began},
		"a window before":     {policies: []*v1beta1.MaintenancePolicy{nights("22:00", "02:00")}, latest: latest, start: time.Date(2026, 11, 23, 22, 0, 0, 0, time.UTC)},
		"in a window":         {policies: []*v1beta1.MaintenancePolicy{nights("08:00", "14:00")}, latest: latest, start: latest.Add(-time.Hour)},
		"just before":         {policies: []*v1beta1.MaintenancePolicy{nights("11:00", "14:00")}, latest: latest, start: latest.Add(-30 * time.Minute)},
		"two schedules":       {policies: []*v1beta1.MaintenancePolicy{nights("22:00", "02:00"), nights("23:00", "05:00")}, latest: latest, start: time.Date(2026, 11, 23, 23, 0, 0, 0, time.UTC)},
		"they never agree":    {policies: []*v1beta1.MaintenancePolicy{nights("22:00", "02:00"), nights("03:00", "05:00")}, latest: latest, start: latest},
		"a schedule is wrong": {policies: []*v1beta1.MaintenancePolicy{never}, latest: latest, start: latest},
		"late":                {by: ptr.To(began.Add(time.Minute)), latest: began.Add(-29 * time.Minute), start: began},
	}
	for name, test := range tests {
		w := newWorld(v1beta1.CodeSystemReboot)
		if test.by != nil {
			w.Event.Spec.NotBefore = inSeconds(*test.by)
		}
		got := TimesOf(w.Event, test.policies, w.Drains, test.surge, test.replaces)
		if !got.LatestStart.Equal(test.latest) || !got.Start.Equal(test.start) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEmptyBy(t *testing.T) {
	one, two, three := metav1.NewTime(began), metav1.NewTime(began.Add(1)), metav1.NewTime(began.Add(2))
	for want, spec := range map[time.Time]v1beta1.ScheduledEventSpec{
		one.Time: {NotBefore: &one, Deadline: &two, NotAfter: &three}, two.Time: {Deadline: &two, NotAfter: &three}, three.Time: {NotAfter: &three}, {}: {},
	} {
		if got := EmptyBy(&spec); !got.Equal(want) {
			t.Errorf("%s instead of %s", got, want)
		}
	}
}

func TestEstimate(t *testing.T) {
	pods := func(n int, p LoadPod) []LoadPod {
		all := make([]LoadPod, n)
		for i := range all {
			all[i] = p
		}
		return all
	}
	half := LoadPod{Turn: 1, Grace: 30 * time.Second}
	budget := LoadPod{Turn: 1, Grace: time.Minute, Budgets: []string{"ns/b"}}
	tests := map[string]struct {
		load Load
		want time.Duration
	}{
		"empty":             {want: time.Minute},
		"together":          {load: Load{Pods: pods(15, half)}, want: 2 * time.Minute},
		"two turns":         {load: Load{Pods: append(pods(1, half), LoadPod{Turn: 2, Grace: 5 * time.Minute})}, want: 7 * time.Minute},
		"one by one":        {load: Load{Pods: pods(4, budget), Allowed: map[string]int{"ns/b": 1}}, want: 14 * time.Minute},
		"two by two":        {load: Load{Pods: pods(4, budget), Allowed: map[string]int{"ns/b": 2}}, want: 8 * time.Minute},
		"none allowed":      {load: Load{Pods: pods(4, budget)}, want: 17 * time.Minute},
		"run to completion": {load: Load{Pods: []LoadPod{{Completes: true}}}, want: 62 * time.Minute},
		"at most":           {load: Load{Pods: []LoadPod{{Turn: 1, Grace: 72 * time.Hour}}}, want: 4 * time.Hour},
		"no duration":       {load: Load{Pods: []LoadPod{{Turn: 1, Grace: math.MaxInt64}, {Turn: 1, Grace: time.Hour}}}, want: 4 * time.Hour},
	}
	for name, test := range tests {
		if got := Estimate(test.load); got != test.want {
			t.Errorf("%s: %s instead of %s", name, got, test.want)
		}
	}
}

func TestExpected(t *testing.T) {
	const m = time.Minute
	tests := map[string]struct {
		drains Drains
		want   time.Duration
	}{
		"unknown":        {want: unknownPlan},
		"plan":           {Drains{Plan: 5 * m}, 5 * m},
		"one earlier":    {Drains{Plan: 5 * m, Earlier: []time.Duration{8 * m}}, 5 * m},
		"second":         {Drains{Plan: 5 * m, Earlier: []time.Duration{8 * m, 60 * m, 7 * m}}, 8 * m},
		"twice, no more": {Drains{Plan: 5 * m, Earlier: []time.Duration{80 * m, 60 * m}}, 10 * m},
		"shorter":        {Drains{Plan: 5 * m, Earlier: []time.Duration{m, m}}, 5 * m},
	}
	for name, test := range tests {
		if got := expected(test.drains); got != test.want {
			t.Errorf("%s: %s instead of %s", name, got, test.want)
		}
	}
}
