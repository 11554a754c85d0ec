// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
)

// statusStrategy holds the rules for writes to nodemaintenances/status. RBAC decides who may write
// there. The strategy makes sure that nothing but the status is written.
type statusStrategy struct {
	strategy
}

// NewStatusStrategy returns the rules for updates of a NodeMaintenance's status.
func NewStatusStrategy(typer runtime.ObjectTyper) rest.UpdateResetFieldsStrategy {
	return statusStrategy{strategy{ObjectTyper: typer, now: time.Now}}
}

// GetResetFields names what a request to nodemaintenances/status cannot own.
func (statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(
			fieldpath.MakePathOrDie("spec"),
			fieldpath.MakePathOrDie("metadata"),
		),
	}
}

// PrepareForUpdate takes everything but the status from the stored object. The name, the UID and the
// resourceVersion stay as the client sent them: they say which object the client means, and are
// compared with the stored ones.
func (statusStrategy) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newNM, oldNM := obj.(*v1beta1.NodeMaintenance), old.(*v1beta1.NodeMaintenance)
	newNM.Spec = oldNM.Spec
	newNM.Unknown = oldNM.Unknown
	newNM.Status.Plan = nil
	if caller.IsServer(ctx) {
		keepApprovals(&newNM.Status, &oldNM.Status)
	} else {
		keepStart(&newNM.Status, &oldNM.Status)
	}
	metav1.ResetObjectMetaForStatus(newNM, oldNM)
	newNM.ManagedFields = owners.InOurTerms(newNM.ManagedFields, oldNM.ManagedFields)
	newNM.GenerateName = oldNM.GenerateName
	newNM.DeletionGracePeriodSeconds = oldNM.DeletionGracePeriodSeconds
}

// keepStart takes what tells that the maintenance may start, or has started, from the stored status. The policies go by
// it: whoever could write it would start maintenance that nobody has approved.
func keepStart(newStatus, oldStatus *v1beta1.NodeMaintenanceStatus) {
	newStatus.Admission = oldStatus.Admission
	newStatus.NodeUID, newStatus.NodeBefore = oldStatus.NodeUID, oldStatus.NodeBefore
}

// keepApprovals takes the decisions of people from the stored status: they are changed through the subresource approval,
// which knows who decides. They also stay where no policy selects the node for a while.
func keepApprovals(newStatus, oldStatus *v1beta1.NodeMaintenanceStatus) {
	kept := ptr.Deref(oldStatus.Admission, v1beta1.MaintenanceAdmission{}).Approvals
	if newStatus.Admission == nil {
		if len(kept) == 0 {
			return
		}
		newStatus.Admission = &v1beta1.MaintenanceAdmission{}
	}
	newStatus.Admission.Approvals = kept
}

// ValidateUpdate checks the new status.
func (statusStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateNodeMaintenanceStatusUpdate(obj.(*v1beta1.NodeMaintenance), old.(*v1beta1.NodeMaintenance))
}

// WarningsOnUpdate returns none: whoever writes a status cannot act on warnings.
func (statusStrategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
