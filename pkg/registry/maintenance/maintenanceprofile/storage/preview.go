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
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
)

// previewTimeout bounds how long the answer to a dry run waits for the preview.
const previewTimeout = 5 * time.Second

// Previewer knows what a profile would do as things are now. It changes nothing.
type Previewer interface {
	// Preview returns what a profile would do, which may be stored or not. It fails while the nodes are not known.
	Preview(ctx context.Context, profile *v1beta1.MaintenanceProfile) (*v1beta1.ProfilePreview, error)
}

// comment warns of what a profile means whose spec was written. In a dry run, the answer also has what it would do now.
func (r *REST) comment(ctx context.Context, obj runtime.Object, w *write, dryRun bool) {
	profile, ok := obj.(*v1beta1.MaintenanceProfile)
	if !ok {
		return
	}
	if w.changed {
		for _, text := range maintenanceprofile.Warnings(profile, w.others) {
			warning.AddWarning(ctx, "", text)
		}
	}
	if !dryRun || r.Previewer == nil {
		return
	}
	if err := r.preview(ctx, profile); err != nil {
		klog.FromContext(ctx).Error(err, "Could not preview a MaintenanceProfile", "maintenanceProfile", profile.Name)
		warning.AddWarning(ctx, "", fmt.Sprintf("status.preview does not say what the profile would do now: %s", err))
	}
}

// preview sets status.preview.
func (r *REST) preview(ctx context.Context, profile *v1beta1.MaintenanceProfile) error {
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	preview, err := r.Previewer.Preview(ctx, profile.DeepCopy())
	if err != nil {
		return err
	}
	profile.Status.Preview = preview
	return nil
}
