// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A node that is relabelled in maintenance counts where it was admitted and where it is now: kubelets may
// set most labels of their nodes.
func TestRelabelledNodeCountsTwice(t *testing.T) {
	p := newPool(t, 3)
	for i, zone := range []string{"a", "a", "b"} {
		p.setZone(t, p.Nodes[i], zone)
	}
	policy := p.Policy(t, "zones", v1beta1.MaintenancePolicySpec{Limits: v1beta1.PolicyLimits{
		Topology: []v1beta1.TopologyLimit{{Key: corev1.LabelTopologyZone, MaxConcurrent: ptr.To(intstr.FromInt32(1))}},
	}})
	mover := p.cordon(t, p.Nodes[0])
	p.admitted(t, mover)
	p.setZone(t, p.Nodes[0], "b")
	inA, inB := p.cordon(t, p.Nodes[1]), p.cordon(t, p.Nodes[2])
	p.waiting(t, inA, v1beta1.AdmissionQueued)
	p.waiting(t, inB, v1beta1.AdmissionQueued)

	// It leaves the policy: it counts where it was admitted.
	p.change(t, policy, `{"spec":{"nodeSelector":{"matchExpressions":[{"key":"out","operator":"DoesNotExist"}]}}}`)
	p.patchNode(t, p.Nodes[0], `{"metadata":{"labels":{"out":"yes"}}}`)
	p.admitted(t, inB)
	p.status(t, policy, "it counts though it is not selected", func(s v1beta1.MaintenancePolicyStatus) bool {
		return s.Selected == 2 && s.InMaintenance == 2
	})
	p.waiting(t, inA, v1beta1.AdmissionQueued)
	p.Delete(t, mover)
	p.admitted(t, inA)
}

func (p *pool) setZone(t *testing.T, node, zone string) {
	t.Helper()
	p.patchNode(t, node, `{"metadata":{"labels":{"`+corev1.LabelTopologyZone+`":"`+zone+`"}}}`)
}

// A node that two policies select needs room in both. Others that need only one of them pass it, but not for ever.
func TestNodeThatNeedsTwoPolicies(t *testing.T) {
	p := newPool(t, 5)
	for i, labels := range []string{`{"a":"x"}`, `{"b":"x"}`, `{"a":"x","b":"x"}`, `{"a":"x"}`, `{"b":"x"}`} {
		p.patchNode(t, p.Nodes[i], `{"metadata":{"labels":`+labels+`}}`)
	}
	for _, key := range []string{"a", "b"} {
		spec := env.AtMost("1")
		spec.NodeSelector = &metav1.LabelSelector{
			MatchLabels:      map[string]string{"test-pool": p.Name},
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpExists}},
		}
		spec.Queue.AgingSeconds = ptr.To[int64](0)
		p.Policy(t, key, spec)
	}
	onlyA, onlyB := p.cordon(t, p.Nodes[0]), p.cordon(t, p.Nodes[1])
	p.admitted(t, onlyA, onlyB)
	both := p.cordon(t, p.Nodes[2])
	p.waiting(t, both, v1beta1.AdmissionQueued, v1beta1.AdmissionQueued)
	nextA, nextB := p.cordon(t, p.Nodes[3]), p.cordon(t, p.Nodes[4])
	p.waiting(t, nextA, v1beta1.AdmissionQueued)
	p.waiting(t, nextB, v1beta1.AdmissionQueued)
	p.Delete(t, onlyA)
	p.waiting(t, both, v1beta1.AdmissionQueued)
	p.waiting(t, nextA, v1beta1.AdmissionQueued) // the room of A is kept for the one that waits longest
	p.Delete(t, onlyB)
	p.admitted(t, both)
	p.Delete(t, both)
	p.admitted(t, nextA, nextB)
}
