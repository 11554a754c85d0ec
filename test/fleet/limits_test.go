// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Of many holds that are created at once, each starts in its turn, and never more than may.
func TestManyCreatesNeverExceedTheLimit(t *testing.T) {
	const limit = 3
	p := newPool(t, 12)
	p.WantMostCordoned(t, limit)
	p.wantMostRecorded(t, limit)
	p.Policy(t, "few", env.AtMost(strconv.Itoa(limit)))
	var creating sync.WaitGroup
	for _, node := range p.Nodes {
		creating.Go(func() { p.create(t, node) })
	}
	creating.Wait()
	p.WaitForCordoned(t, limit)
	holds := p.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	ended := map[string]bool{}
	env.Eventually(t, "every hold has its turn", func(ctx context.Context) string {
		list, err := holds.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		for i := range list.Items {
			nm := &list.Items[i]
			if strings.HasPrefix(nm.Name, p.Name) && nm.Status.Phase == v1beta1.PhaseSucceeded && !ended[nm.Name] {
				ended[nm.Name] = true
				if err := holds.Delete(ctx, nm.Name, metav1.DeleteOptions{}); err != nil {
					return err.Error()
				}
			}
		}
		if len(ended) < len(p.Nodes) {
			return fmt.Sprintf("%d of %d had it", len(ended), len(p.Nodes))
		}
		return ""
	})
	p.WaitUntilClean(t)
	p.waitReleased(t)
}

// create creates a hold beside others: where the test may not be ended from.
func (p *pool) create(t *testing.T, node string) {
	_, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Create(t.Context(), p.of(node), metav1.CreateOptions{})
	if err != nil {
		t.Error(err)
	}
}

// A policy is in force once it is created: no hold of a moment later passes it.
func TestPolicyIsInForceAtOnce(t *testing.T) {
	p := newPool(t, 1)
	p.Policy(t, "none", env.AtMost("0"))
	p.waiting(t, p.cordon(t, p.Nodes[0]), v1beta1.AdmissionQueued)
}

// What was admitted goes on when the policy changes, and counts.
func TestPolicyChangesInTheMiddle(t *testing.T) {
	p := newPool(t, 4)
	policy := p.Policy(t, "limit", env.AtMost("2"))
	first, second := p.cordon(t, p.Nodes[0]), p.cordon(t, p.Nodes[1])
	p.admitted(t, first, second)
	third := p.cordon(t, p.Nodes[2])
	p.waiting(t, third, v1beta1.AdmissionQueued)

	p.change(t, policy, `{"spec":{"limits":{"maxConcurrent":1}}}`)
	p.status(t, policy, "2 of 1", func(s v1beta1.MaintenancePolicyStatus) bool {
		return s.InMaintenance == 2 && ptr.Deref(s.MaxConcurrent, 0) == 1 && s.Waiting == 1
	})
	p.Delete(t, first)
	env.Eventually(t, "one of one node is in maintenance", func(ctx context.Context) string {
		return p.unlessQueueSays(ctx, policy, "1 of 1 node")
	})
	p.waiting(t, third, v1beta1.AdmissionQueued)

	// The policy selects the second node no more. It counts still, for it was admitted under it.
	p.patchNode(t, p.Nodes[1], `{"metadata":{"labels":{"out":"yes"}}}`)
	p.change(t, policy, `{"spec":{"nodeSelector":{"matchExpressions":[{"key":"out","operator":"DoesNotExist"}]}}}`)
	p.status(t, policy, "the node counts", func(s v1beta1.MaintenancePolicyStatus) bool { return s.Selected == 3 && s.InMaintenance == 1 })
	p.waiting(t, third, v1beta1.AdmissionQueued)
	p.admitted(t, second)

	// The policy is created anew while nodes are in maintenance. They count at once.
	if err := p.Maintenance.MaintenanceV1beta1().MaintenancePolicies().Delete(t.Context(), policy, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.admitted(t, third)
	again := p.Policy(t, "again", env.AtMost("1"))
	fourth := p.cordon(t, p.Nodes[3])
	p.waiting(t, fourth, v1beta1.AdmissionQueued)
	p.status(t, again, "2 of 1", func(s v1beta1.MaintenancePolicyStatus) bool { return s.InMaintenance == 2 })
	p.Delete(t, second)
	p.waiting(t, fourth, v1beta1.AdmissionQueued)
	p.Delete(t, third)
	p.admitted(t, fourth)
}

// unlessQueueSays returns what the queue of a policy says, unless that has the text. The status of a hold has other
// numbers up to a minute later.
func (p *pool) unlessQueueSays(ctx context.Context, policy, text string) string {
	queue, err := p.Maintenance.MaintenanceV1beta1().MaintenancePolicies().GetQueue(ctx, policy, metav1.GetOptions{})
	if err != nil {
		return err.Error()
	}
	if said := fmt.Sprint(queue.Items); !strings.Contains(said, text) {
		return said
	}
	return ""
}

// A share follows the number of nodes, which an autoscaler changes.
func TestShareFollowsTheNumberOfNodes(t *testing.T) {
	p := newPool(t, 8)
	policy := p.Policy(t, "share", env.AtMost("25%"))
	resolved := func(selected, limit int32) {
		t.Helper()
		p.status(t, policy, fmt.Sprintf("%d of %d nodes may go", limit, selected), func(s v1beta1.MaintenancePolicyStatus) bool {
			return s.Selected == selected && ptr.Deref(s.MaxConcurrent, -1) == limit
		})
	}
	remove := func(nodes ...string) {
		t.Helper()
		for _, node := range nodes {
			if err := p.Kube.CoreV1().Nodes().Delete(t.Context(), node, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	resolved(8, 2)
	p.admitted(t, p.cordon(t, p.Nodes[0]), p.cordon(t, p.Nodes[1]))
	third := p.cordon(t, p.Nodes[2])
	p.waiting(t, third, v1beta1.AdmissionQueued)
	remove(p.Nodes[4:]...)
	resolved(4, 1)
	p.Delete(t, p.Nodes[0])
	p.waiting(t, third, v1beta1.AdmissionQueued)
	p.Delete(t, p.Nodes[1])
	p.admitted(t, third)
	remove(p.Nodes[:4]...)
	resolved(0, 1)
	p.waitReleased(t)
}

// A node that is out of service already does not count for its own maintenance. Its neighbours wait for it.
func TestNodeOutOfServiceMayGoAtTheLimit(t *testing.T) {
	p := newPool(t, 2)
	p.Policy(t, "available", v1beta1.MaintenancePolicySpec{Limits: v1beta1.PolicyLimits{MaxUnavailable: ptr.To(intstr.FromInt32(1))}})
	p.patchNode(t, p.Nodes[1], `{"spec":{"unschedulable":true}}`)
	neighbour := p.cordon(t, p.Nodes[0])
	p.waiting(t, neighbour, v1beta1.AdmissionTooManyUnavailable)
	repair := p.cordon(t, p.Nodes[1])
	p.admitted(t, repair)
	p.Delete(t, repair)
	p.waiting(t, neighbour, v1beta1.AdmissionTooManyUnavailable) // its neighbour is cordoned as before
	p.patchNode(t, p.Nodes[1], `{"spec":{"unschedulable":false}}`)
	p.admitted(t, neighbour)
}
