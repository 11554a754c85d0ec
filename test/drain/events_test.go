// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Kinds of objects that events speak of.
const (
	kindNode = "Node"
	kindHold = "NodeMaintenance"
)

// events are those about an object, by reason.
func (p *pool) events(ctx context.Context, kind, name string) (map[string]corev1.Event, error) {
	selector := fields.Set{"involvedObject.kind": kind, "involvedObject.name": name}.String()
	list, err := p.Kube.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{FieldSelector: selector})
	if err != nil {
		return nil, err
	}
	events := map[string]corev1.Event{}
	for _, event := range list.Items {
		if event.Source.Component == "maintenance-apiserver" {
			events[event.Reason] = event
		}
	}
	return events, nil
}

// waitForEvent waits for an event about an object, whose message must contain
// some words.
func (p *pool) waitForEvent(t *testing.T, kind, name, reason string, words ...string) {
	t.Helper()
	env.EventuallyWithin(t, env.EventsTimeout, fmt.Sprintf("event %s of %s %s", reason, kind, name), func(ctx context.Context) string {
		events, err := p.events(ctx, kind, name)
		if err != nil {
			return err.Error()
		}
		event, found := events[reason]
		if !found {
			return fmt.Sprintf("there are only %v", reasons(events))
		}
		for _, word := range words {
			if !strings.Contains(event.Message, word) {
				return fmt.Sprintf("its message is %q, which lacks %q", event.Message, word)
			}
		}
		return ""
	})
}

func reasons(events map[string]corev1.Event) []string {
	var names []string
	for reason := range events {
		names = append(names, reason)
	}
	return names
}

func TestEventsAndNodeConditions(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	node := p.Nodes[0]
	p.runOn(t, node, p.workload().Deployment("web", 1, p.Selector()))
	hold := p.Hold("a", node)
	hold.Spec.Reason = "new power supply"
	p.Create(t, hold)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
		corev1.NodeDrainInProgress:       corev1.ConditionTrue,
		corev1.NodeDrained:               corev1.ConditionFalse,
	})
	p.WaitForHold(t, hold.Name, "node drained", succeeded)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
		corev1.NodeDrainInProgress:       corev1.ConditionFalse,
		corev1.NodeDrained:               corev1.ConditionTrue,
	})
	p.waitForEvent(t, kindNode, node, "MaintenanceStarted", hold.Name, "admin", "new power supply")
	p.waitForEvent(t, kindNode, node, "NodeCordoned", "medik8s.io/drain:NoSchedule")
	p.waitForEvent(t, kindNode, node, "DrainSucceeded", hold.Name)
	p.waitForDescription(t, "node", node, "MaintenanceStarted", "NodeCordoned", "DrainSucceeded", "MaintenanceInProgress")
	p.waitForDescription(t, "nodemaintenance", hold.Name, "MaintenanceStarted", "NodeCordoned", "DrainSucceeded")

	p.Delete(t, hold.Name)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{})
	p.waitForEvent(t, kindNode, node, "NodeUncordoned", node)
	p.waitForEvent(t, kindHold, hold.Name, "MaintenanceEnded", node)
}

// waitForNodeConditions waits until the conditions by which a node tells of its
// maintenance are these and no others.
func (p *pool) waitForNodeConditions(t *testing.T, name string, want map[corev1.NodeConditionType]corev1.ConditionStatus) {
	t.Helper()
	env.Eventually(t, "conditions of node "+name, func(ctx context.Context) string {
		node, err := p.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		got := map[corev1.NodeConditionType]corev1.ConditionStatus{}
		for _, c := range node.Status.Conditions {
			switch c.Type {
			case corev1.NodeMaintenanceInProgress, corev1.NodeDrainInProgress, corev1.NodeDrained:
				got[c.Type] = c.Status
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("they are %v, want %v", got, want)
		}
		return ""
	})
}

// waitForDescription waits until kubectl describe shows some words.
func (p *pool) waitForDescription(t *testing.T, resource, name string, words ...string) {
	t.Helper()
	env.Eventually(t, "kubectl describe "+resource, func(context.Context) string {
		text := p.Kubectl().Must(t, "", "describe", resource, name)
		for _, word := range words {
			if !strings.Contains(text, word) {
				return fmt.Sprintf("it lacks %q:\n%s", word, text)
			}
		}
		return ""
	})
}

// blockers are a hold's, by pod.
func blockers(nm *v1beta1.NodeMaintenance) map[string]v1beta1.DrainBlocker {
	byPod := map[string]v1beta1.DrainBlocker{}
	for _, b := range nm.Status.Blockers {
		byPod[b.Pod] = b
	}
	return byPod
}
