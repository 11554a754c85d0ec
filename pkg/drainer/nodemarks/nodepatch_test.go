// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemarks

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func cordonedNode(note string) *corev1.Node {
	return drainertest.Node{
		Unschedulable: true, Taints: []string{v1beta1.DrainTaint}, HoldsNote: note,
		Labels: map[string]string{v1beta1.ExcludeFromRemediationLabel: "true"},
	}.Object()
}

func TestCordonPatch(t *testing.T) {
	drain := `{"effect":"NoSchedule","key":"medik8s.io/drain"}`
	extra := corev1.Taint{Key: "kubevirt.io/drain", Effect: corev1.TaintEffectNoSchedule}
	label := `"labels":{"remediation.medik8s.io/exclude-from-remediation":"true"}`
	note := `"annotations":{"maintenance.medik8s.io/holds":"note"}`
	head := `"resourceVersion":"7","uid":"uid-worker-1"`
	tests := map[string]struct {
		node        *corev1.Node
		extra       []corev1.Taint
		want        string
		wantChanges int
	}{
		"plain node": {
			node: drainertest.Node{}.Object(),
			want: fmt.Sprintf(`{"metadata":{%s,%s,%s},"spec":{"unschedulable":true,"taints":[%s]}}`, head,
				label, note, drain),
			wantChanges: 4,
		},
		"foreign taints stay, in their order": {
			node: drainertest.Node{Taints: []string{"b", "a"}}.Object(),
			want: fmt.Sprintf(`{"metadata":{%s,%s,%s},"spec":{"unschedulable":true,"taints":[%s,%s,%s]}}`, head, label, note,
				`{"effect":"NoSchedule","key":"b"}`, `{"effect":"NoSchedule","key":"a"}`, drain),
			wantChanges: 4,
		},
		"taints of the configuration": {
			node:  drainertest.Node{Unschedulable: true}.Object(),
			extra: []corev1.Taint{extra, {Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}},
			want: fmt.Sprintf(`{"metadata":{%s,%s,%s},"spec":{"taints":[%s,%s]}}`, head, label, note,
				drain, `{"effect":"NoSchedule","key":"kubevirt.io/drain"}`),
			wantChanges: 4,
		},
		"only other holds than before": {
			node: cordonedNode("old note"),
			want: fmt.Sprintf(`{"metadata":{%s,%s}}`, head, note),
		},
		"uncordoned by somebody": {
			node: func() *corev1.Node {
				node := cordonedNode("note")
				node.Spec.Unschedulable = false
				return node
			}(),
			want:        fmt.Sprintf(`{"metadata":{%s},"spec":{"unschedulable":true}}`, head),
			wantChanges: 1,
		},
		"as it should be": {node: cordonedNode("note")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.node.ResourceVersion = "7"
			marks := NewMarks(drainertest.StoreID, test.extra)
			patch := marks.CordonPatch(test.node, marks.Read(test.node), "note")
			if patch.Empty() != (test.want == "") {
				t.Fatalf("patch %v is empty: %t", patch.body, patch.Empty())
			}
			if len(patch.Changes) != test.wantChanges {
				t.Errorf("changes %v, want %d", patch.Changes, test.wantChanges)
			}
			if test.want != "" {
				wantJSON(t, patch, test.want)
			}
		})
	}
}

func wantJSON(t *testing.T, patch *NodePatch, want string) {
	t.Helper()
	data, err := patch.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var got, wanted any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
}

func TestGiveBackPatch(t *testing.T) {
	head := `"resourceVersion":"7","uid":"uid-worker-1"`
	tests := map[string]struct {
		before v1beta1.NodeBefore
		change func(*corev1.Node)
		want   string
	}{
		"plain before": {
			want: fmt.Sprintf(`{"metadata":{%s,"labels":{"remediation.medik8s.io/exclude-from-remediation":null},`+
				`"annotations":{"maintenance.medik8s.io/holds":null}},"spec":{"unschedulable":false,"taints":[]}}`, head),
		},
		"all of it before": {
			before: v1beta1.NodeBefore{
				Unschedulable: true, Taints: []string{"medik8s.io/drain:NoSchedule"},
				Labels: map[string]string{v1beta1.ExcludeFromRemediationLabel: "true"},
			},
			want: fmt.Sprintf(`{"metadata":{%s,"annotations":{"maintenance.medik8s.io/holds":null}}}`, head),
		},
		"foreign taint meanwhile": {
			change: drainertest.Taint("x"),
			want: fmt.Sprintf(`{"metadata":{%s,"labels":{"remediation.medik8s.io/exclude-from-remediation":null},`+
				`"annotations":{"maintenance.medik8s.io/holds":null}},"spec":{"unschedulable":false,`+
				`"taints":[{"effect":"NoSchedule","key":"x"}]}}`, head),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := cordonedNode("note")
			node.ResourceVersion = "7"
			if test.change != nil {
				test.change(node)
			}
			wantJSON(t, NewMarks(drainertest.StoreID, nil).GiveBackPatch(node, test.before), test.want)
		})
	}
}

func TestConditionsPatch(t *testing.T) {
	const inProgress = corev1.NodeMaintenanceInProgress
	foreign := corev1.NodeCondition{
		Type: corev1.NodeMaintenanceInProgress, Status: corev1.ConditionFalse, Reason: "Admin",
	}
	own := corev1.NodeCondition{
		Type: corev1.NodeDrained, Status: corev1.ConditionFalse, Reason: reasonNodeMaintenance,
	}
	tests := map[string]struct {
		has    []corev1.NodeCondition
		wanted map[corev1.NodeConditionType]corev1.ConditionStatus
		// want are the types that the patch names; empty when there is no patch.
		want []string
	}{
		"nothing there, nothing wanted": {},
		"set": {
			wanted: NodeConditions{corev1.NodeDrained: corev1.ConditionFalse, corev1.NodeDrainInProgress: corev1.ConditionTrue, inProgress: corev1.ConditionTrue},
			want:   []string{"DrainInProgress", "Drained", "MaintenanceInProgress"},
		},
		"only cordoned": {
			wanted: NodeConditions{inProgress: corev1.ConditionTrue}, want: []string{"MaintenanceInProgress"},
		},
		"another's is left alone": {
			has: []corev1.NodeCondition{foreign}, wanted: NodeConditions{inProgress: corev1.ConditionTrue},
		},
		"as it should be": {
			has:    []corev1.NodeCondition{own},
			wanted: map[corev1.NodeConditionType]corev1.ConditionStatus{corev1.NodeDrained: corev1.ConditionFalse},
		},
		"changed": {
			has:    []corev1.NodeCondition{own},
			wanted: map[corev1.NodeConditionType]corev1.ConditionStatus{corev1.NodeDrained: corev1.ConditionTrue},
			want:   []string{"Drained"},
		},
		"cleared": {has: []corev1.NodeCondition{own, foreign}, want: []string{"Drained"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := drainertest.Node{}.Object()
			node.Status.Conditions = append(node.Status.Conditions, test.has...)
			patch, err := ConditionsPatch(node, test.wanted, metav1.NewTime(drainertest.Epoch))
			if err != nil {
				t.Fatal(err)
			}
			var decoded struct {
				Status struct{ Conditions []struct{ Type string } }
			}
			if patch != nil {
				if err := json.Unmarshal(patch, &decoded); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, condition := range decoded.Status.Conditions {
				got = append(got, condition.Type)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the patch names %v, want %v", got, test.want)
			}
		})
	}
}
