// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// Policies are the MaintenancePolicies of the cluster.
type Policies interface {
	List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error)
}

// asking returns the policies that ask for approvals of maintenance of the node.
func asking(ctx context.Context, policies Policies, node *corev1.Node) ([]maintenance.MaintenancePolicy, error) {
	listed, err := policies.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list the policies: %w", err)
	}
	list, ok := listed.(*maintenance.MaintenancePolicyList)
	if !ok {
		return nil, fmt.Errorf("could not list the policies: got %T", listed)
	}
	return slices.DeleteFunc(list.Items, func(policy maintenance.MaintenancePolicy) bool {
		return policy.Spec.Approvals == nil || !selects(&policy, node)
	}), nil
}

// selects is false if the selector is one that this version cannot read.
func selects(policy *maintenance.MaintenancePolicy, node *corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(policy.Spec.NodeSelector)
	return err == nil && selector.Matches(labels.Set(node.Labels))
}

// choose returns the policy of that name. Without a name, it is the only one that there is.
func choose(asking []maintenance.MaintenancePolicy, name, node string) (*maintenance.MaintenancePolicy, *field.Error) {
	path := field.NewPath("policy")
	if len(asking) == 0 {
		return nil, field.Invalid(path, name, fmt.Sprintf("no MaintenancePolicy asks for approvals of maintenance of node %q", node))
	}
	names := make([]string, 0, len(asking))
	for i := range asking {
		if asking[i].Name == name || (name == "" && len(asking) == 1) {
			return &asking[i], nil
		}
		names = append(names, fmt.Sprintf("%q", asking[i].Name))
	}
	if name == "" {
		return nil, field.Required(path, fmt.Sprintf("more than one asks for approvals of maintenance of node %q: %s", node, strings.Join(names, ", ")))
	}
	return nil, field.Invalid(path, name, fmt.Sprintf("does not ask for approvals of maintenance of node %q, but %s", node, strings.Join(names, ", ")))
}
