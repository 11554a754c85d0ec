// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// marks are what the operators set on a node, and what this server of ours is told to set for virtual
// machines that were set up the old way.
var marks = []string{
	"cordoned",
	"kubevirt.io/drain:NoSchedule",
	"medik8s.io/drain:NoSchedule",
	"node.kubernetes.io/unschedulable:NoSchedule",
	"remediation.medik8s.io/exclude-from-remediation=true",
}

func marksOn(node *corev1.Node) []string {
	var found []string
	if node.Spec.Unschedulable {
		found = append(found, "cordoned")
	}
	for _, taint := range node.Spec.Taints {
		found = append(found, taint.ToString())
	}
	if value, labeled := node.Labels["remediation.medik8s.io/exclude-from-remediation"]; labeled {
		found = append(found, "remediation.medik8s.io/exclude-from-remediation="+value)
	}
	slices.Sort(found)
	return found
}

// waitForMarks waits until a node has these marks and no others.
func (u *user) waitForMarks(t *testing.T, node string, want ...string) {
	t.Helper()
	slices.Sort(want)
	env.Eventually(t, "marks of node "+node, func(context.Context) string {
		if got := marksOn(u.Node(t, node)); !slices.Equal(got, want) {
			return fmt.Sprintf("they are %q, want %q", got, want)
		}
		return ""
	})
}

// A node in maintenance has the operators' marks. What others have set, before or meanwhile, stays.
func TestMarks(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node, kubectl := u.Nodes[0], u.Kubectl()
		kubectl.Must(t, "", "taint", "node", node, "before=yes:NoSchedule")
		name := u.apply(t, node)
		u.waitForMarks(t, node, append([]string{"before=yes:NoSchedule"}, marks...)...)
		kubectl.Must(t, "", "taint", "node", node, "meanwhile=yes:NoSchedule")
		u.waitFor(t, name, "node drained", succeeded)
		kubectl.Must(t, "", "delete", u.resource(), name)
		u.waitForMarks(t, node, "before=yes:NoSchedule", "meanwhile=yes:NoSchedule")
		env.Always(t, 2*time.Second, "node is not cordoned again", func(context.Context) string {
			if u.Node(t, node).Spec.Unschedulable {
				return "it is"
			}
			return ""
		})
	})
}

// A node that somebody had cordoned before is still cordoned afterwards, and a label that somebody had
// set is still there. The operators undid both.
func TestNodeCordonedBefore(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node, kubectl := u.Nodes[0], u.Kubectl()
		kubectl.Must(t, "", "cordon", node)
		kubectl.Must(t, "", "label", "node", node, "remediation.medik8s.io/exclude-from-remediation=true")
		before := []string{
			"cordoned", "node.kubernetes.io/unschedulable:NoSchedule", "remediation.medik8s.io/exclude-from-remediation=true",
		}
		u.waitForMarks(t, node, before...)
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		u.waitForMarks(t, node, marks...)
		kubectl.Must(t, "", "delete", u.resource(), name)
		u.waitForMarks(t, node, before...)
	})
}

// What somebody undoes during maintenance is repaired, and pods that come late are evicted. The
// operators noticed neither.
func TestDrift(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		u.Kubectl().Must(t, "", "uncordon", node)
		u.Kubectl().Must(t, "", "taint", "node", node, "medik8s.io/drain-")
		u.waitForMarks(t, node, marks...)

		late := u.Cluster.Workload(u.Name).Pod("late", localcluster.OnNode(node), localcluster.GracePeriod(0))
		if err := late.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.Eventually(t, "late pod is evicted", func(ctx context.Context) string {
			pods, err := u.PodsOn(ctx, node)
			if err != nil || len(pods) > 0 {
				return fmt.Sprintf("error %v, %d pods", err, len(pods))
			}
			return ""
		})
		u.waitFor(t, name, "node drained again", succeeded)
	})
}
