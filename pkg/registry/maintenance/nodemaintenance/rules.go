// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"fmt"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// newRules returns the rules for writes of NodeMaintenances. RBAC decides who may write the status.
func newRules(now func() time.Time) resource.Rules[*v1beta1.NodeMaintenance, v1beta1.NodeMaintenanceSpec, v1beta1.NodeMaintenanceStatus] {
	return resource.Rules[*v1beta1.NodeMaintenance, v1beta1.NodeMaintenanceSpec, v1beta1.NodeMaintenanceStatus]{
		Spec:      func(nm *v1beta1.NodeMaintenance) *v1beta1.NodeMaintenanceSpec { return &nm.Spec },
		Status:    func(nm *v1beta1.NodeMaintenance) *v1beta1.NodeMaintenanceStatus { return &nm.Status },
		Reset:     []fieldpath.Path{fieldpath.MakePathOrDie("spec", "requestor")},
		Finalizer: v1beta1.UncordonFinalizer,
		FinalizerEnds: func(old *v1beta1.NodeMaintenance) string {
			return fmt.Sprintf("node %q has been given back", old.Spec.NodeName)
		},

		PrepareCreate: prepareCreate,
		PrepareUpdate: prepareUpdate,
		PrepareStatus: prepareStatus,

		Validate: func(ctx context.Context, nm *v1beta1.NodeMaintenance) field.ErrorList {
			allErrs := append(validation.ValidateNodeMaintenance(nm), validateStartDeadline(nm.Spec.StartDeadline, nil, now())...)
			return append(allErrs, validateRequestor(ctx, nm.Spec.Requestor)...)
		},
		ValidateUpdate: func(nm, old *v1beta1.NodeMaintenance) field.ErrorList {
			allErrs := append(validation.ValidateNodeMaintenanceUpdate(nm, old), validateExpiration(nm, old, now())...)
			allErrs = append(allErrs, validateStartDeadline(nm.Spec.StartDeadline, old.Spec.StartDeadline, now())...)
			return append(allErrs, validateFrozen(nm, old)...)
		},
		ValidateStatus: validation.ValidateNodeMaintenanceStatusUpdate,

		WarnOfCreate: func(nm *v1beta1.NodeMaintenance) []string { return drainWarnings(&nm.Spec.Drain) },
		WarnOfUpdate: func(nm, old *v1beta1.NodeMaintenance) []string {
			warnings := voidWarnings(nm, old)
			if apiequality.Semantic.DeepEqual(nm.Spec.Drain, old.Spec.Drain) {
				return warnings // it was said before
			}
			return append(warnings, drainWarnings(&nm.Spec.Drain)...)
		},
	}
}

// prepareCreate gives a new object a phase, as a pod has, so that clients that read or select by phase never see an empty one.
func prepareCreate(ctx context.Context, nm *v1beta1.NodeMaintenance) {
	nm.ManagedFields = owners.InOurTerms(nm.ManagedFields, nil)
	nm.Status.Phase = v1beta1.PhasePending
	if nm.Spec.Stage == v1beta1.StageDrain {
		nm.Status.DrainProgress = ptr.To[int32](0)
	}
	if nm.Spec.Requestor == "" {
		nm.Spec.Requestor = RequestorFrom(ctx)
	}
}

func prepareUpdate(_ context.Context, nm, old *v1beta1.NodeMaintenance) {
	nm.ManagedFields = owners.InOurTerms(nm.ManagedFields, old.ManagedFields)
	if nm.Spec.Requestor == "" {
		nm.Spec.Requestor = old.Spec.Requestor
	}
	keepImported(nm, old)
}

// prepareStatus has only the server say whether a drain may begin, and nobody write the answer to a dry run.
func prepareStatus(ctx context.Context, nm, old *v1beta1.NodeMaintenance) {
	nm.ManagedFields = owners.InOurTerms(nm.ManagedFields, old.ManagedFields)
	nm.Status.Plan = nil
	if caller.IsServer(ctx) {
		keepApprovals(&nm.Status, &old.Status)
	} else {
		keepStart(&nm.Status, &old.Status)
	}
}

// keepImported puts the annotation of an imported hold back that an update left out, such as a PUT of a
// manifest: what was imported does not change.
func keepImported(newNM, oldNM *v1beta1.NodeMaintenance) {
	value, imported := oldNM.Annotations[v1beta1.ImportedAnnotation]
	if _, set := newNM.Annotations[v1beta1.ImportedAnnotation]; imported && !set {
		metav1.SetMetaDataAnnotation(&newNM.ObjectMeta, v1beta1.ImportedAnnotation, value)
	}
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

// RequestorFrom returns the name of the user who makes the request. It is empty when the request has no
// user; validation refuses such an object.
func RequestorFrom(ctx context.Context) string {
	requester, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return ""
	}
	return requester.GetName()
}

// validateRequestor refuses another requestor than who makes the request. The server alone speaks for profiles,
// ScheduledEvents and integrations: a user whose name looks like theirs would end up with holds that the server gives back.
func validateRequestor(ctx context.Context, requestor string) field.ErrorList {
	path, user := field.NewPath("spec", "requestor"), RequestorFrom(ctx)
	switch servers := v1beta1.IsServerRequestor(requestor); {
	case servers && caller.IsServer(ctx):
		return nil
	case servers:
		return field.ErrorList{field.Forbidden(path, whose(requestor)+", for which only the server itself creates NodeMaintenances")}
	case requestor != user:
		return field.ErrorList{field.Invalid(path, requestor,
			fmt.Sprintf("must be %q, the user who makes the request; leave it out and the server sets it", user))}
	default:
		return nil
	}
}

// whose says what the requestors are that only the server itself speaks for.
func whose(requestor string) string {
	for prefix, what := range map[string]string{v1beta1.ProfileRequestor: "MaintenanceProfiles", v1beta1.EventRequestor: "ScheduledEvents"} {
		if strings.HasPrefix(requestor, prefix) {
			return fmt.Sprintf("requestors that begin with %s are %s", prefix, what)
		}
	}
	return requestor + " is an integration of the server"
}

// validateExpiration refuses a new expiration in the past. To end a hold at once is to delete it, which
// needs another permission.
func validateExpiration(newNM, oldNM *v1beta1.NodeMaintenance, now time.Time) field.ErrorList {
	seconds := newNM.Spec.ExpirationSeconds
	if seconds == nil || ptr.Equal(seconds, oldNM.Spec.ExpirationSeconds) {
		return nil
	}
	start, what := started(oldNM)
	if start == nil {
		return nil
	}
	age := int64(now.Sub(start.Time) / time.Second)
	if *seconds > age {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "expirationSeconds"), *seconds, fmt.Sprintf(
		"must be more than %d, the seconds since %s; to end it now, delete it", age, what))}
}

// started is the time since which spec.expirationSeconds counts, and what was then: since the hold was admitted, or created if it
// did not have to wait; nil while it waits.
func started(nm *v1beta1.NodeMaintenance) (at *metav1.Time, what string) {
	admission := nm.Status.Admission
	switch {
	case admission == nil, nm.Spec.Stage == v1beta1.StageIdle, admission.AdmittedTime == nil && v1beta1.StageNow(nm) == nm.Spec.Stage:
		return &nm.CreationTimestamp, "this NodeMaintenance was created"
	default:
		return admission.AdmittedTime, "this NodeMaintenance was admitted"
	}
}

// validateStartDeadline refuses a new deadline in the past. A missed deadline comes before others in the queue, so
// nobody may choose to have missed one. One that passes after it was stored stays valid.
func validateStartDeadline(deadline, stored *metav1.Time, now time.Time) field.ErrorList {
	if deadline == nil || deadline.Equal(stored) || deadline.After(now) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "startDeadline"), deadline, fmt.Sprintf(
		"must be after %s, which is now; leave it out if the maintenance may start at any time", now.UTC().Format(time.RFC3339)))}
}
