// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// now is a Friday.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// knowing is a source that knows nodes, or an error if there are none.
type knowing []*corev1.Node

func (k knowing) Facts(context.Context) (decision.Facts, error) {
	if k == nil {
		return decision.Facts{}, errors.New("the nodes are not known yet")
	}
	return decision.Facts{Now: now, Nodes: k}, nil
}

// fourNodes are three of zone a and one of zone b.
func fourNodes() knowing {
	var nodes knowing
	for name, zone := range map[string]string{"w-1": "a", "w-2": "a", "w-3": "a", "w-4": "b"} {
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pool": "web", "zone": zone}},
			Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		})
	}
	return nodes
}

func newPreviewer(source Source, prometheus bool) *Previewer {
	p := New(source, prometheus)
	p.clock = clocktesting.NewFakePassiveClock(now)
	return p
}

func policyWith(spec v1beta1.MaintenancePolicySpec) *v1beta1.MaintenancePolicy {
	if spec.NodeSelector == nil {
		spec.NodeSelector = &metav1.LabelSelector{}
	}
	return &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: "workers", Generation: 1}, Spec: spec}
}

func share(text string) *intstr.IntOrString {
	parsed := intstr.Parse(text)
	return &parsed
}

func schedule(freezes []v1beta1.PolicyFreeze, windows ...v1beta1.PolicyWindow) v1beta1.MaintenancePolicySpec {
	return v1beta1.MaintenancePolicySpec{Schedule: &v1beta1.PolicySchedule{Windows: windows, Freezes: freezes}}
}

func cronWindow(name, expr string) v1beta1.PolicyWindow {
	hour := int64(3600)
	return v1beta1.PolicyWindow{Name: name, Cron: expr, DurationSeconds: &hour}
}

func onceWindow(name string, until time.Time) v1beta1.PolicyWindow {
	return v1beta1.PolicyWindow{Name: name, From: &metav1.Time{Time: until.Add(-time.Hour)}, Until: &metav1.Time{Time: until}}
}

func days(name, from, until string) v1beta1.PolicyFreeze {
	f := v1beta1.PolicyFreeze{Dates: &v1beta1.DateRange{From: from, Until: until}}
	f.Name = name
	return f
}

// stopFrom has an automatic stop that ignores failures until a time.
func stopFrom(t time.Time) v1beta1.MaintenancePolicySpec {
	return v1beta1.MaintenancePolicySpec{AutoStop: &v1beta1.PolicyAutoStop{Failures: 1, IgnoreBefore: &metav1.Time{Time: t}}}
}

func prometheusGate() []v1beta1.PolicyGate {
	return []v1beta1.PolicyGate{{PlanUnblocked: true}, {Prometheus: &v1beta1.PrometheusGate{Query: "up"}}}
}

func TestWarnings(t *testing.T) {
	nightly := cronWindow("nightly", "0 22 * * *")
	for name, tc := range map[string]struct {
		spec       v1beta1.MaintenancePolicySpec
		nodes      knowing
		prometheus bool
		want       []string
	}{
		"nothing": {spec: schedule(nil, nightly), nodes: fourNodes()},
		"both day fields": {
			spec: schedule([]v1beta1.PolicyFreeze{{PolicyWindow: cronWindow("c", "0 0 13 * 5")}},
				cronWindow("a", "0 20 1-7 * 5"), nightly), nodes: fourNodes(),
			want: []string{"spec.schedule: the cron of a, c restricts the day of the month and the day of the week: " +
				"it matches the days that match one of the two, and not only those that match both"},
		},
		"no opening": {
			spec: schedule(nil, cronWindow("none", "0 0 30 2 *")), nodes: fourNodes(),
			want: []string{"spec.schedule: no maintenance can start within a year"},
		},
		"what is over": {
			spec: schedule([]v1beta1.PolicyFreeze{
				days("sale", "2026-11-01", "2026-11-19"), days("today", "2026-11-20", "2026-11-20"), {PolicyWindow: onceWindow("call", now)},
			}, nightly, onceWindow("once", now.Add(-time.Hour)), onceWindow("soon", now.Add(time.Second))), nodes: fourNodes(),
			want: []string{
				"spec.schedule.windows: these are over, and do not come again: once",
				"spec.schedule.freezes: these are over, and do not come again: sale, call",
			},
		},
		"no rule": {
			nodes: fourNodes(),
			want:  []string{"spec: the policy limits nothing: all maintenance of its nodes starts at once"},
		},
		"limits of 0": {
			spec: v1beta1.MaintenancePolicySpec{Limits: v1beta1.PolicyLimits{
				MaxConcurrent: share("0"), MaxUnavailable: share("0%"),
				Topology: []v1beta1.TopologyLimit{{Key: "rack"}, {Key: "zone", MaxConcurrent: share("0%")}},
			}}, nodes: fourNodes(),
			want: []string{
				"spec.limits.maxConcurrent is 0: no maintenance starts",
				"spec.limits.maxUnavailable is 0%: no maintenance starts",
				"spec.limits.topology[1].maxConcurrent is 0%: no maintenance starts",
				`spec.limits.topology[0].key: no selected node has the label "rack", so all count as one domain`,
			},
		},
		"a stop that is switched off": {
			spec: stopFrom(now.Add(5*time.Minute + time.Second)), nodes: fourNodes(),
			want: []string{"spec.autoStop.ignoreBefore is in the future: failures do not stop this policy until 2026-11-20T12:05:01Z; " +
				"now is 2026-11-20T12:00:00Z"},
		},
		"a stop that was looked at, by a clock that is ahead": {spec: stopFrom(now.Add(5 * time.Minute)), nodes: fourNodes()},
		"shares that count as one": {
			spec: v1beta1.MaintenancePolicySpec{Limits: v1beta1.PolicyLimits{
				MaxConcurrent: share("24%"), MaxUnavailable: share("25%"),
				Topology: []v1beta1.TopologyLimit{{Key: "zone", MaxConcurrent: share("34%")}, {Key: "rack", MaxConcurrent: share("1%")}},
			}}, nodes: fourNodes(),
			want: []string{
				`spec.limits.topology[1].key: no selected node has the label "rack", so all count as one domain`,
				"spec.limits.maxConcurrent: 24% of 4 nodes is less than one, and counts as one",
				"spec.limits.topology[0].maxConcurrent: 34% of 1 node with zone=b is less than one, and counts as one",
				"spec.limits.topology[1].maxConcurrent: 1% of 4 nodes without the label rack is less than one, and counts as one",
			},
		},
		"no node": {
			spec: v1beta1.MaintenancePolicySpec{
				NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "wbe"}},
				Limits:       v1beta1.PolicyLimits{MaxConcurrent: share("1%")},
			}, nodes: fourNodes(),
			want: []string{"spec.nodeSelector selects none of the cluster's nodes, of which there are 4"},
		},
		"nodes are not known": {
			spec: v1beta1.MaintenancePolicySpec{Limits: v1beta1.PolicyLimits{MaxConcurrent: share("0")}},
			want: []string{"spec.limits.maxConcurrent is 0: no maintenance starts"},
		},
		"no Prometheus": {
			spec:  v1beta1.MaintenancePolicySpec{Gates: &v1beta1.PolicyGates{Start: prometheusGate(), Release: prometheusGate()}},
			nodes: fourNodes(),
			want: []string{
				"spec.gates.start asks Prometheus, but the server was started without --prometheus-url: no maintenance starts",
				"spec.gates.release asks Prometheus, but the server was started without --prometheus-url: nodes stay cordoned after their maintenance",
			},
		},
		"Prometheus": {
			spec:  v1beta1.MaintenancePolicySpec{Gates: &v1beta1.PolicyGates{Start: prometheusGate(), Release: prometheusGate()}},
			nodes: fourNodes(), prometheus: true,
		},
		"other gates": {
			spec:  v1beta1.MaintenancePolicySpec{Gates: &v1beta1.PolicyGates{Start: prometheusGate()[:1]}},
			nodes: fourNodes(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := newPreviewer(tc.nodes, tc.prometheus).Warnings(t.Context(), policyWith(tc.spec))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPreview(t *testing.T) {
	spec := schedule(nil, cronWindow("nightly", "0 22 * * *"))
	spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}
	spec.Limits.MaxConcurrent = share("70%")
	status, err := newPreviewer(fourNodes(), false).Preview(t.Context(), policyWith(spec))
	if err != nil {
		t.Fatal(err)
	}
	if status.Selected != 3 || status.MaxConcurrent == nil || *status.MaxConcurrent != 2 || status.MaxUnavailable != nil {
		t.Errorf("status = %+v, want 3 selected, and a limit of 2", status)
	}
	tonight := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	if status.NextOpenTime == nil || !status.NextOpenTime.Time.Equal(tonight) || status.NextCloseTime != nil {
		t.Errorf("next times = %v and %v, want %s and none", status.NextOpenTime, status.NextCloseTime, tonight)
	}
	var want []v1beta1.PolicyOpening
	for i := range 5 {
		from := tonight.AddDate(0, 0, i)
		want = append(want, v1beta1.PolicyOpening{From: metav1.NewTime(from), Until: &metav1.Time{Time: from.Add(time.Hour)}})
	}
	if diff := cmp.Diff(want, status.NextOpenings); diff != "" {
		t.Errorf("nextOpenings (-want +got):\n%s", diff)
	}
}

func TestPreviewWithoutFacts(t *testing.T) {
	status, err := newPreviewer(knowing(nil), false).Preview(t.Context(), policyWith(v1beta1.MaintenancePolicySpec{}))
	if status != nil || err == nil {
		t.Errorf("Preview() = %+v, %v, want an error", status, err)
	}
}
