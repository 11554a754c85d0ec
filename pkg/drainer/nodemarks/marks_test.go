// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemarks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

const (
	// drainText is our own taint as a status records it, and extraText is extraTaint.
	drainText = v1beta1.DrainTaint + ":NoSchedule"
	extraText = "example.com/maintenance=yes:NoSchedule"
)

// extraTaint is one that the server may be told to set besides.
var extraTaint = corev1.Taint{Key: "example.com/maintenance", Value: "yes", Effect: corev1.TaintEffectNoSchedule}

// like is the taint after a change.
func like(taint corev1.Taint, change func(*corev1.Taint)) corev1.Taint {
	change(&taint)
	return taint
}

func withEffect(effect corev1.TaintEffect) func(*corev1.Taint) {
	return func(t *corev1.Taint) { t.Effect = effect }
}

func withValue(value string) func(*corev1.Taint) { return func(t *corev1.Taint) { t.Value = value } }

// taintedNode is a node with these taints.
func taintedNode(taints ...corev1.Taint) *corev1.Node {
	return drainertest.Node{Change: func(node *corev1.Node) { node.Spec.Taints = taints }}.Object()
}

func TestRecordOfTaints(t *testing.T) {
	noExecute := like(extraTaint, withEffect(corev1.TaintEffectNoExecute))
	tests := map[string]struct {
		// set are the taints that the server is told to set now, has those of the node.
		set, has []corev1.Taint
		before   v1beta1.NodeBefore
		// wantRecorded says that the record lacks nothing, want is the record with what it lacks.
		wantRecorded bool
		want         v1beta1.NodeBefore
	}{
		"no flag": {
			has: []corev1.Taint{OurTaint}, before: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
			wantRecorded: true, want: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
		},
		"the flag as it was": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint, extraTaint},
			before:       v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
			wantRecorded: true, want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag removed": {
			has:          []corev1.Taint{OurTaint, extraTaint},
			before:       v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
			wantRecorded: true, want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag added, the node has the taint": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{extraTaint, OurTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
			want:   v1beta1.NodeBefore{Taints: []string{extraText}, AddedTaints: []string{drainText}},
		},
		"flag added, the node has it with another value": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{like(extraTaint, withValue("no")), OurTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
			want: v1beta1.NodeBefore{
				Taints: []string{"example.com/maintenance=no:NoSchedule"}, AddedTaints: []string{drainText},
			},
		},
		"flag added, the node does not have it": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
			want:   v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag added, the node has it with another effect": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{noExecute, OurTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
			want:   v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag changed to another value": {
			set:    []corev1.Taint{like(extraTaint, withValue("other"))},
			has:    []corev1.Taint{OurTaint, extraTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}}, wantRecorded: true,
			want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"flag changed to another effect": {
			set: []corev1.Taint{noExecute}, has: []corev1.Taint{OurTaint, extraTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
			want: v1beta1.NodeBefore{
				AddedTaints: []string{drainText, extraText, "example.com/maintenance=yes:NoExecute"},
			},
		},
		"our own taint was there before": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint},
			before: v1beta1.NodeBefore{Taints: []string{drainText}},
			want:   v1beta1.NodeBefore{Taints: []string{drainText}, AddedTaints: []string{extraText}},
		},
		"an older server's record, which lists no added taints": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint, extraTaint},
			want: v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}},
		},
		"an older server's record of a taint that was there before": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint, extraTaint},
			before: v1beta1.NodeBefore{Taints: []string{extraText}},
			want:   v1beta1.NodeBefore{Taints: []string{extraText}, AddedTaints: []string{drainText}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			marks, given := NewMarks(drainertest.StoreID, test.set), *test.before.DeepCopy()
			if got := marks.Recorded(test.before); got != test.wantRecorded {
				t.Errorf("recorded: %t, want %t", got, test.wantRecorded)
			}
			got := marks.completed(test.before, taintedNode(test.has...))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("completed record (-want +got):\n%s", diff)
			}
			if !marks.Recorded(got) {
				t.Errorf("the completed record %+v lacks something", got)
			}
			if diff := cmp.Diff(given, test.before); diff != "" {
				t.Errorf("the record that was given was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTaintsAfterGiveBack(t *testing.T) {
	noExecute := like(extraTaint, withEffect(corev1.TaintEffectNoExecute))
	added := v1beta1.NodeBefore{AddedTaints: []string{drainText, extraText}}
	tests := map[string]struct {
		// set are the taints that the server is told to set now, has those of the cordoned node.
		set, has []corev1.Taint
		before   v1beta1.NodeBefore
		want     []corev1.Taint
	}{
		"flag removed, the taint is ours": {has: []corev1.Taint{OurTaint, extraTaint}, before: added},
		"flag removed, the taint is the admin's": {
			has: []corev1.Taint{extraTaint, OurTaint}, want: []corev1.Taint{extraTaint},
			before: v1beta1.NodeBefore{Taints: []string{extraText}, AddedTaints: []string{drainText}},
		},
		"flag added, and nothing recorded since": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{extraTaint, OurTaint}, want: []corev1.Taint{extraTaint},
			before: v1beta1.NodeBefore{AddedTaints: []string{drainText}},
		},
		"flag added and recorded": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint, extraTaint}, before: added,
		},
		"the same key with another effect is the admin's": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{noExecute, OurTaint, extraTaint}, before: added,
			want: []corev1.Taint{noExecute},
		},
		"somebody changed the value of ours": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{OurTaint, like(extraTaint, withValue("no"))},
			before: added,
		},
		"a taint without a value": {
			has: []corev1.Taint{OurTaint, {Key: "plain", Effect: corev1.TaintEffectNoExecute}},
			before: v1beta1.NodeBefore{
				AddedTaints: []string{drainText, "plain:NoExecute"},
			},
		},
		"an older server's record": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{noExecute, OurTaint, extraTaint},
			want: []corev1.Taint{noExecute},
		},
		"an older server's record of a taint that was there before": {
			set: []corev1.Taint{extraTaint}, has: []corev1.Taint{extraTaint, OurTaint},
			before: v1beta1.NodeBefore{Taints: []string{extraText}}, want: []corev1.Taint{extraTaint},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			patch := NewMarks(drainertest.StoreID, test.set).GiveBackPatch(taintedNode(test.has...), test.before)
			got, patched := patch.body["spec"].(map[string]any)["taints"].([]corev1.Taint)
			if !patched {
				t.Fatalf("the patch leaves the taints as they are: %v", patch.body)
			}
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("taints (-want +got):\n%s", diff)
			}
		})
	}
}
