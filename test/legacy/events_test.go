// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A maintenance has each of the operators' events once, whatever is changed meanwhile. The operator
// repeated them at each change.
func TestEvents(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		started := map[string]string{
			"BeginMaintenance":   "Normal: Begin a node maintenance",
			"SucceedMaintenance": "Normal: Node maintenance was succeeded",
		}
		u.waitForEvents(t, "NodeMaintenance", name, started)
		u.Kubectl().Must(t, "", "patch", u.resource(), name, "--type=merge", "-p", `{"spec":{"reason":"another"}}`)
		u.Kubectl().Must(t, "", "uncordon", node)
		u.waitForMarks(t, node, marks...)
		u.waitFor(t, name, "node drained still", succeeded)

		u.Kubectl().Must(t, "", "delete", u.resource(), name)
		started["RemovedMaintenance"] = "Normal: Removed a node maintenance"
		u.waitForEvents(t, "NodeMaintenance", name, started)
		u.waitForEvents(t, "Node", node, map[string]string{"UncordonNode": "Normal: Uncordon a node"})
	})
}

// A node that does not exist fails the maintenance, once.
func TestFailedEvent(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		u.deleteNode(t, node)
		u.waitForEvents(t, "NodeMaintenance", name, map[string]string{
			"BeginMaintenance":   "Normal: Begin a node maintenance",
			"SucceedMaintenance": "Normal: Node maintenance was succeeded",
			"FailedMaintenance":  "Warning: Failed a node maintenance",
		})
	})
}

// waitForEvents waits until the operators' events about an object are these, by reason, each once, with
// the type and the beginning of the text, and with the node in the text.
func (u *user) waitForEvents(t *testing.T, kind, name string, want map[string]string) {
	t.Helper()
	env.EventuallyWithin(t, env.EventsTimeout, "events of "+kind+" "+name, func(ctx context.Context) string {
		events, err := u.operatorsEvents(ctx, kind, name)
		if err != nil {
			return err.Error()
		}
		got := map[string]string{}
		for i := range events {
			text := events[i].Type + ": " + events[i].Message
			if expected := want[events[i].Reason]; strings.HasPrefix(text, expected) && strings.Contains(text, u.Nodes[0]) {
				text = expected
			}
			if _, twice := got[events[i].Reason]; twice || events[i].Count != 1 {
				text += ", more than once"
			}
			got[events[i].Reason] = text
		}
		if !maps.Equal(got, want) {
			return fmt.Sprintf("they are %q, want %q", got, want)
		}
		return ""
	})
}

func (u *user) operatorsEvents(ctx context.Context, kind, name string) ([]corev1.Event, error) {
	selector := fields.Set{"involvedObject.kind": kind, "involvedObject.name": name, "source": "NodeMaintenance"}
	list, err := u.Kube.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{FieldSelector: selector.String()})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
