// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestJudgeCondition(t *testing.T) {
	now := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	ready := func(status corev1.ConditionStatus, since time.Duration) *corev1.Node {
		return &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: "DiskPressure", Status: corev1.ConditionFalse},
			{Type: "Ready", Status: status, Reason: "KubeletStopped", Message: "3m7s ago", LastTransitionTime: metav1.NewTime(now.Add(-since))},
		}}}
	}
	timeless := func(status corev1.ConditionStatus) *corev1.Node {
		node := ready(status, 0)
		node.Status.Conditions[1].LastTransitionTime = metav1.Time{}
		return node
	}
	tests := map[string]struct {
		gate        v1beta1.NodeConditionGate
		node        *corev1.Node
		wantState   state
		wantMessage string
		wantAgain   time.Duration
	}{
		"it has it":           {gate: v1beta1.NodeConditionGate{Type: "Ready"}, node: ready("True", 0), wantState: passes},
		"it has another":      {gate: v1beta1.NodeConditionGate{Type: "DiskPressure", Status: "False"}, node: ready("True", 0), wantState: passes},
		"it has it for long":  {gate: v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 120}, node: ready("True", 2*time.Minute), wantState: passes},
		"it does not have it": {gate: v1beta1.NodeConditionGate{Type: "GPUReady"}, node: ready("True", 0), wantState: fails, wantMessage: "waits for condition GPUReady of the node to be True (the node does not have it)"},
		"it is not so": {
			gate: v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 120}, node: ready("False", time.Minute), wantState: fails,
			wantMessage: "waits for condition Ready of the node to be True (False since 2026-11-21T21:59:00Z: KubeletStopped)",
		},
		"not for long enough": {
			gate: v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 120}, node: ready("True", 45*time.Second), wantState: fails,
			wantMessage: "waits for condition Ready of the node to be True for 2m0s (since 2026-11-21T21:59:15Z)", wantAgain: 75 * time.Second,
		},
		"nobody says since when": {
			gate: v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 120}, node: timeless("True"), wantState: fails,
			wantMessage: "waits for condition Ready of the node to be True for 2m0s (it is, but the node does not say since when)",
		},
		"nobody says or asks since when": {gate: v1beta1.NodeConditionGate{Type: "Ready"}, node: timeless("True"), wantState: passes},
		"it is not so, nobody says since when": {
			gate: v1beta1.NodeConditionGate{Type: "Ready"}, node: timeless("False"), wantState: fails,
			wantMessage: "waits for condition Ready of the node to be True (False: KubeletStopped)",
		},
		"since a time to come": {
			gate: v1beta1.NodeConditionGate{Type: "Ready", ForSeconds: 120}, node: ready("True", -time.Hour), wantState: fails,
			wantMessage: "waits for condition Ready of the node to be True for 2m0s (since 2026-11-21T23:00:00Z)", wantAgain: 2 * time.Minute,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := judgeCondition(&test.gate, test.node, now)
			if got.state != test.wantState || got.message != test.wantMessage || got.again != test.wantAgain {
				t.Errorf("%+v, want state %d, %q, again after %s", got, test.wantState, test.wantMessage, test.wantAgain)
			}
			if (got.reason == v1beta1.AdmissionGateFailed) != (test.wantState == fails) {
				t.Errorf("the reason is %q", got.reason)
			}
		})
	}
}
