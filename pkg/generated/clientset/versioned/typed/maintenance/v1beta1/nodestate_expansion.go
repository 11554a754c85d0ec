// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"context"

	maintenancev1beta1 "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/scheme"
)

// NodeStateExpansion has what client-gen cannot generate.
type NodeStateExpansion interface {
	// PlanDrain is GetDrainPlan with the parameters of the drain: client-gen knows only GetOptions.
	PlanDrain(ctx context.Context, nodeName string, drain maintenancev1beta1.DrainPlanOptions) (*maintenancev1beta1.DrainPlan, error)
}

// PlanDrain returns what a drain of the node with these parameters would do now.
func (c *nodeStates) PlanDrain(ctx context.Context, nodeName string, drain maintenancev1beta1.DrainPlanOptions) (*maintenancev1beta1.DrainPlan, error) {
	plan := &maintenancev1beta1.DrainPlan{}
	err := c.GetClient().Get().
		Resource("nodes").
		Name(nodeName).
		SubResource("drainplan").
		VersionedParams(&drain, scheme.ParameterCodec).
		Do(ctx).
		Into(plan)
	return plan, err
}
