// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Selects says whether the policy is for the node. It fails if the selector cannot be applied.
func Selects(policy *v1beta1.MaintenancePolicy, node *corev1.Node) (bool, error) {
	selector, err := selectorOf(policy.Spec)
	if err != nil {
		return false, err
	}
	return selector.Matches(labels.Set(node.Labels)), nil
}

// selectorOf is the selector of a policy. One that is missing does not select all nodes.
func selectorOf(spec v1beta1.MaintenancePolicySpec) (labels.Selector, error) {
	if spec.NodeSelector == nil {
		return nil, errors.New("spec.nodeSelector is missing")
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.NodeSelector)
	if err != nil {
		return nil, fmt.Errorf("spec.nodeSelector cannot be applied: %w", err)
	}
	return selector, nil
}

// Resolve is a limit as a number of nodes, given the nodes that its policy, or its domain, selects. A share is one of
// those that are not young and not Ready, rounded down, but at least 1 unless it is 0%.
func Resolve(limit intstr.IntOrString, nodes []*corev1.Node, now time.Time) (int, error) {
	return resolve(limit, base(nodes, now))
}
