// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// judgeCondition says whether the node has the condition for long enough. A time in the future counts as now,
// and a time that is not set as not long enough.
func judgeCondition(gate *v1beta1.NodeConditionGate, node *corev1.Node, now time.Time) judgement {
	waitsFor := waitsForCondition(gate)
	lasts := time.Duration(gate.ForSeconds) * time.Second
	found := conditionOf(node, gate.Type)
	switch {
	case found == nil:
		return waits("%s (the node does not have it)", waitsFor)
	case string(found.Status) != wantedStatus(gate):
		return waits("%s (%s%s%s)", waitsFor, found.Status, sinceWhen(found), because(found.Reason))
	case lasts > 0 && found.LastTransitionTime.IsZero():
		return waits("%s for %s (it is, but the node does not say since when)", waitsFor, lasts)
	default:
		since := found.LastTransitionTime.Time
		return forLong(since, lasts, now, "%s for %s (since %s)", waitsFor, lasts, moment(since))
	}
}

func waitsForCondition(gate *v1beta1.NodeConditionGate) string {
	return fmt.Sprintf("waits for condition %s of the node to be %s", gate.Type, wantedStatus(gate))
}

func wantedStatus(gate *v1beta1.NodeConditionGate) string {
	return cmp.Or(string(gate.Status), string(metav1.ConditionTrue))
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
