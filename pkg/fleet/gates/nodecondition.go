// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// judgeCondition says whether the node has the condition for long enough. A time in the future counts as now,
// and a time that is not set as not long enough.
func judgeCondition(gate *v1beta1.NodeConditionGate, node *corev1.Node, now time.Time) judgement {
	wanted := metav1.ConditionStatus(cmp.Or(string(gate.Status), string(metav1.ConditionTrue)))
	lasts := time.Duration(gate.ForSeconds) * time.Second
	found := conditionOf(node, gate.Type)
	switch {
	case found == nil:
		return waits("waits for condition %s of the node to be %s (the node does not have it)", gate.Type, wanted)
	case string(found.Status) != string(wanted):
		return waits("waits for condition %s of the node to be %s (%s%s%s)", gate.Type, wanted,
			found.Status, sinceWhen(found), because(found.Reason))
	case lasts > 0 && found.LastTransitionTime.IsZero():
		return waits("waits for condition %s of the node to be %s for %s (it is, but the node does not say since when)",
			gate.Type, wanted, lasts)
	default:
		since := found.LastTransitionTime.Time
		return forLong(since, lasts, now, "waits for condition %s of the node to be %s for %s (since %s)",
			gate.Type, wanted, lasts, moment(since))
	}
}

func conditionOf(node *corev1.Node, kind string) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if condition := &node.Status.Conditions[i]; string(condition.Type) == kind {
			return condition
		}
	}
	return nil
}

// because is the reason of a condition. Its message is not shown: it may change all the time.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func sinceWhen(condition *corev1.NodeCondition) string {
	if condition.LastTransitionTime.IsZero() {
		return ""
	}
	return " since " + moment(condition.LastTransitionTime.Time)
}

// forLong is the judgement of a gate that would pass, and is to have passed for a time. If it has not yet, it waits as the
// format says.
func forLong(since time.Time, lasts time.Duration, now time.Time, format string, args ...any) judgement {
	if since.After(now) {
		since = now
	}
	left := lasts - now.Sub(since)
	if left <= 0 {
		return judgement{state: passes}
	}
	judged := waits(format, args...)
	judged.again = left
	return judged
}

// moment is a time as messages show it.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
