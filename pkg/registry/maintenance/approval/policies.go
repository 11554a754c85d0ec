// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Policies are the MaintenancePolicies of the cluster.
type Policies interface {
	List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error)
}

// asking returns the policies that ask for approvals of maintenance of the node.
func asking(ctx context.Context, policies Policies, node *corev1.Node) ([]v1beta1.MaintenancePolicy, error) {
	listed, err := policies.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list the policies: %w", err)
	}
	list, ok := listed.(*v1beta1.MaintenancePolicyList)
	if !ok {
		return nil, fmt.Errorf("could not list the policies: got %T", listed)
	}
	return slices.DeleteFunc(list.Items, func(policy v1beta1.MaintenancePolicy) bool {
		return policy.Spec.Approvals == nil || !selects(&policy, node)
	}), nil
}

// selects is false if the selector is one that this version cannot read.
func selects(policy *v1beta1.MaintenancePolicy, node *corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(policy.Spec.NodeSelector)
	return err == nil && selector.Matches(labels.Set(node.Labels))
}
