// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// previewTimeout bounds how long the answer to a write waits for the preview.
const previewTimeout = 5 * time.Second

// Previewer knows what a policy means as things are now. It changes nothing.
type Previewer interface {
	// Preview returns the status that a policy would have now, which may be stored or not, with its next openings. It
	// fails while the nodes are not known.
	Preview(ctx context.Context, policy *v1beta1.MaintenancePolicy) (*v1beta1.MaintenancePolicyStatus, error)
	// Warnings says what is probably not meant as it is written, in one sentence each.
	Warnings(ctx context.Context, policy *v1beta1.MaintenancePolicy) []string
	// Freed warns of maintenance that waits for policies that change together, and starts since they no longer select its
	// node. after are those of them that are still there, as they are to be.
	Freed(ctx context.Context, before, after []*v1beta1.MaintenancePolicy) []string
}

// preview warns of what a policy that was written means. In a dry run, the answer also has the status that the policy
// would have now. If that is not known, the policy has been written all the same.
func (r *REST) preview(ctx context.Context, obj runtime.Object, dryRun bool) {
	written, ok := obj.(*v1beta1.MaintenancePolicy)
	if !ok || r.previewer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	policy := written.DeepCopy()
	for _, text := range r.previewer.Warnings(ctx, policy) {
		warning.AddWarning(ctx, "", text)
	}
	if !dryRun {
		return
	}
	if err := r.previewStatus(ctx, policy, &written.Status); err != nil {
		klog.FromContext(ctx).Error(err, "Could not preview a MaintenancePolicy", "maintenancePolicy", written.Name)
		warning.AddWarning(ctx, "", fmt.Sprintf("status does not say what the policy would mean now: %s", err))
	}
}

// previewStatus sets the status to what it would be now.
func (r *REST) previewStatus(ctx context.Context, policy *v1beta1.MaintenancePolicy, status *v1beta1.MaintenancePolicyStatus) error {
	now, err := r.previewer.Preview(ctx, policy)
	if err != nil {
		return err
	}
	*status = *now
	return nil
}
