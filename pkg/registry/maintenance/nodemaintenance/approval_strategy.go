// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// approvalStrategy holds the rules for writes of status.admission.approvals. Who makes such a write takes the rest
// of the object as it is stored, and has checked the approvals.
type approvalStrategy struct {
	rest.RESTUpdateStrategy
}

// ApprovalStrategy returns the rules for updates that change nothing but the approvals. ofSpec are the rules for
// other updates.
func ApprovalStrategy(ofSpec rest.RESTUpdateStrategy) rest.RESTUpdateStrategy {
	return approvalStrategy{ofSpec}
}

// PrepareForUpdate has nothing to do.
func (approvalStrategy) PrepareForUpdate(context.Context, runtime.Object, runtime.Object) {}

// ValidateUpdate checks nothing.
func (approvalStrategy) ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList {
	return nil
}

// WarningsOnUpdate returns none.
func (approvalStrategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
