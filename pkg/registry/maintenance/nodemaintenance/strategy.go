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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
)

// strategy holds the rules for writes to nodemaintenances.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	now func() time.Time
}

// NewStrategy returns the rules for create, update and delete of NodeMaintenances.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{typer, names.SimpleNameGenerator, time.Now}
}

// NamespaceScoped is false, as it is for nodes.
func (strategy) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate is false: a PUT that names no existing object is a 404. A server-side apply can
// create all the same, because its handler tells the store so.
func (strategy) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is false, as for a custom resource: a PUT without a resourceVersion could
// undo a change of the stage that somebody has just made, and so evict pods. Patches, server-side apply
// and kubectl replace send a resourceVersion themselves.
func (strategy) AllowUnconditionalUpdate(context.Context) bool { return false }

// GetResetFields names what a request to nodemaintenances cannot own.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(
			fieldpath.MakePathOrDie("status"),
			fieldpath.MakePathOrDie("spec", "requestor"),
		),
	}
}

// PrepareForCreate sets the fields that only the server sets.
func (strategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	nm := obj.(*v1beta1.NodeMaintenance)
	nm.Generation = 1
	nm.Finalizers = withUncordonFinalizer(nm.Finalizers)
	nm.ManagedFields = owners.InOurTerms(nm.ManagedFields, nil)
	// A new object has a phase, as a pod does, so that clients that read or select by phase never see
	// an empty one.
	nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending}
	if nm.Spec.Stage == v1beta1.StageDrain {
		nm.Status.DrainProgress = ptr.To[int32](0)
	}
	if nm.Spec.Requestor == "" {
		nm.Spec.Requestor = RequestorFrom(ctx)
	}
}

// Validate checks a new object. Its requestor must be who makes the request, or a profile, a ScheduledEvent or an integration if
// that is the server.
func (s strategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	nm := obj.(*v1beta1.NodeMaintenance)
	allErrs := append(validation.ValidateNodeMaintenance(nm), s.validateStartDeadline(nm.Spec.StartDeadline, nil)...)
	return append(allErrs, validateRequestor(ctx, nm.Spec.Requestor)...)
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

// WarningsOnCreate says what is allowed but may not be meant.
func (strategy) WarningsOnCreate(_ context.Context, obj runtime.Object) []string {
	return drainWarnings(&obj.(*v1beta1.NodeMaintenance).Spec.Drain)
}

// PrepareForUpdate keeps what an update cannot change, and counts a new spec.
func (strategy) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newNM, oldNM := obj.(*v1beta1.NodeMaintenance), old.(*v1beta1.NodeMaintenance)
	newNM.Status = oldNM.Status
	newNM.Unknown = oldNM.Unknown
	newNM.ManagedFields = owners.InOurTerms(newNM.ManagedFields, oldNM.ManagedFields)
	if newNM.Spec.Requestor == "" {
		newNM.Spec.Requestor = oldNM.Spec.Requestor
	}
	keepUncordonFinalizer(ctx, newNM, oldNM)
	keepImported(newNM, oldNM)
	if !apiequality.Semantic.DeepEqual(newNM.Spec, oldNM.Spec) {
		newNM.Generation = oldNM.Generation + 1
	}
}

// keepUncordonFinalizer puts the finalizer back that an update left out: without
// it the object would be gone before the node is given back. Only the server
// takes it off, and only from an object that is being deleted.
func keepUncordonFinalizer(ctx context.Context, newNM, oldNM *v1beta1.NodeMaintenance) {
	if !hasUncordonFinalizer(oldNM) || hasUncordonFinalizer(newNM) {
		return
	}
	if caller.IsServer(ctx) && oldNM.DeletionTimestamp != nil {
		return
	}
	newNM.Finalizers = withUncordonFinalizer(newNM.Finalizers)
	warning.AddWarning(ctx, "", fmt.Sprintf(
		"metadata.finalizers: %s is kept: the server removes it when node %q has been given back",
		v1beta1.UncordonFinalizer, oldNM.Spec.NodeName))
}

// keepImported puts the annotation of an imported hold back that an update left out, such as a PUT of a
// manifest: what was imported does not change.
func keepImported(newNM, oldNM *v1beta1.NodeMaintenance) {
	value, imported := oldNM.Annotations[v1beta1.ImportedAnnotation]
	if _, set := newNM.Annotations[v1beta1.ImportedAnnotation]; imported && !set {
		metav1.SetMetaDataAnnotation(&newNM.ObjectMeta, v1beta1.ImportedAnnotation, value)
	}
}

// ValidateUpdate checks a changed object.
func (s strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	newNM, oldNM := obj.(*v1beta1.NodeMaintenance), old.(*v1beta1.NodeMaintenance)
	allErrs := append(validation.ValidateNodeMaintenanceUpdate(newNM, oldNM), s.validateExpiration(newNM, oldNM)...)
	allErrs = append(allErrs, s.validateStartDeadline(newNM.Spec.StartDeadline, oldNM.Spec.StartDeadline)...)
	return append(allErrs, validateFrozen(newNM, oldNM)...)
}

// validateExpiration refuses a new expiration in the past. To end a hold at once is to delete it, which
// needs another permission.
func (s strategy) validateExpiration(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	seconds := newNM.Spec.ExpirationSeconds
	if seconds == nil || ptr.Equal(seconds, oldNM.Spec.ExpirationSeconds) {
		return nil
	}
	start, what := started(oldNM)
	if start == nil {
		return nil
	}
	age := int64(s.now().Sub(start.Time) / time.Second)
	if *seconds > age {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "expirationSeconds"), *seconds, fmt.Sprintf(
		"must be more than %d, the seconds since %s; to end it now, delete it", age, what))}
}

// started is since when spec.expirationSeconds counts, and what was then: since the hold was admitted, or created if it
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

// WarningsOnUpdate says what is allowed but may not be meant, once: when the
// drain's settings change, or a change makes approvals void.
func (strategy) WarningsOnUpdate(_ context.Context, obj, old runtime.Object) []string {
	newNM, oldNM := obj.(*v1beta1.NodeMaintenance), old.(*v1beta1.NodeMaintenance)
	warnings := voidWarnings(newNM, oldNM)
	if apiequality.Semantic.DeepEqual(newNM.Spec.Drain, oldNM.Spec.Drain) {
		return warnings
	}
	return append(warnings, drainWarnings(&newNM.Spec.Drain)...)
}

// Canonicalize has nothing to do: there is one way to write each object.
func (strategy) Canonicalize(runtime.Object) {}
