// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fake

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// PlanDrain is recorded as GetDrainPlan: actions have no room for the parameters.
func (c *fakeNodeStates) PlanDrain(ctx context.Context, nodeName string, _ v1beta1.DrainPlanOptions) (*v1beta1.DrainPlan, error) {
	return c.GetDrainPlan(ctx, nodeName, metav1.GetOptions{})
}
