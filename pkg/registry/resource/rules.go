// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/apiserver/pkg/warning"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
)

// Rules are the rules for writes of one kind: T is a pointer to its type, S its spec, and U its status. They say what differs
// between kinds. What all kinds share is in the strategies that they make: an update counts a new spec, and changes no status;
// an update of the status changes nothing else; what only a newer version knows is kept.
type Rules[T v1beta1.Stored, S, U any] struct {
	// Spec returns where an object has its spec. Nil: the kind counts no new specs.
	Spec func(obj T) *S
	// Status returns where an object has its status. Nil: the kind has none.
	Status func(obj T) *U
	// ServersOwn says that the server makes all objects. Then a new one keeps its status, and nobody follows who owns which
	// fields: there may be thousands of objects, and it takes longer than the write.
	ServersOwn bool
	// Reset are the fields that a request cannot own, besides the status.
	Reset []fieldpath.Path

	// Finalizer is on each object from the start. Only the server takes it off, from an object that is being deleted.
	// Optional.
	Finalizer string
	// FinalizerEnds says when the server does that, for a user whose update leaves the finalizer out.
	FinalizerEnds func(old T) string

	// PrepareCreate sets what else only the server sets in a new object. Optional.
	PrepareCreate func(ctx context.Context, obj T)
	// PrepareUpdate keeps what else an update cannot change. The status is as stored. Optional.
	PrepareUpdate func(ctx context.Context, obj, old T)
	// PrepareStatus keeps what an update of the status cannot change. Optional.
	PrepareStatus func(ctx context.Context, obj, old T)

	// Validate checks a new object.
	Validate func(ctx context.Context, obj T) field.ErrorList
	// ValidateUpdate checks a changed object.
	ValidateUpdate func(obj, old T) field.ErrorList
	// ValidateStatus checks a changed status. Required with Status.
	ValidateStatus func(obj, old T) field.ErrorList

	// WarnOfCreate says of a new object what is allowed but may not be meant. Optional.
	WarnOfCreate func(obj T) []string
	// WarnOfUpdate says so of a changed one. Optional.
	WarnOfUpdate func(obj, old T) []string
}

// Strategy returns the rules for create, update and delete. The typer must know the kind.
func (r Rules[T, S, U]) Strategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return specStrategy[T, S, U]{clusterScoped{typer, names.SimpleNameGenerator}, r}
}

// StatusStrategy returns the rules for updates of the status.
func (r Rules[T, S, U]) StatusStrategy(typer runtime.ObjectTyper) rest.UpdateResetFieldsStrategy {
	return statusStrategy[T, S, U]{clusterScoped{typer, names.SimpleNameGenerator}, r}
}

// clusterScoped are the rules that all kinds share.
type clusterScoped struct {
	runtime.ObjectTyper
	names.NameGenerator
}

// NamespaceScoped is false, as it is for nodes.
func (clusterScoped) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate is false: a PUT that names no existing object is a 404. A server-side apply can create all the same,
// because its handler tells the store so.
func (clusterScoped) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is false, as for a custom resource: a PUT without a resourceVersion could undo what somebody has
// just changed, and so evict pods. Patches, server-side apply and kubectl replace send a resourceVersion themselves.
func (clusterScoped) AllowUnconditionalUpdate(context.Context) bool { return false }

// Canonicalize has nothing to do: there is one way to write each object.
func (clusterScoped) Canonicalize(runtime.Object) {}

func resetFields(paths ...fieldpath.Path) map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(paths...)}
}

type specStrategy[T v1beta1.Stored, S, U any] struct {
	clusterScoped
	rules Rules[T, S, U]
}

// GetResetFields names what a request cannot own.
func (s specStrategy[T, S, U]) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	if s.rules.ServersOwn {
		return nil
	}
	return resetFields(append([]fieldpath.Path{fieldpath.MakePathOrDie("status")}, s.rules.Reset...)...)
}

// PrepareForCreate sets the fields that only the server sets.
func (s specStrategy[T, S, U]) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	object := obj.(T)
	if s.rules.Spec != nil {
		object.SetGeneration(1)
	}
	if s.rules.Finalizer != "" {
		object.SetFinalizers(withFinalizer(object.GetFinalizers(), s.rules.Finalizer))
	}
	switch {
	case s.rules.ServersOwn:
		object.SetManagedFields(nil)
	case s.rules.Status != nil:
		*s.rules.Status(object) = *new(U)
	}
	if s.rules.PrepareCreate != nil {
		s.rules.PrepareCreate(ctx, object)
	}
}

// Validate checks a new object.
func (s specStrategy[T, S, U]) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	return s.rules.Validate(ctx, obj.(T))
}

// WarningsOnCreate says what is allowed but may not be meant.
func (s specStrategy[T, S, U]) WarningsOnCreate(_ context.Context, obj runtime.Object) []string {
	if s.rules.WarnOfCreate == nil {
		return nil
	}
	return s.rules.WarnOfCreate(obj.(T))
}

// PrepareForUpdate keeps what an update cannot change, and counts a new spec.
func (s specStrategy[T, S, U]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newObject, oldObject := obj.(T), old.(T)
	*newObject.UnknownFields() = *oldObject.UnknownFields()
	if s.rules.Status != nil {
		*s.rules.Status(newObject) = *s.rules.Status(oldObject)
	}
	if s.rules.ServersOwn {
		newObject.SetManagedFields(nil)
	}
	s.keepFinalizer(ctx, newObject, oldObject)
	if s.rules.PrepareUpdate != nil {
		s.rules.PrepareUpdate(ctx, newObject, oldObject)
	}
	if s.rules.Spec != nil && !apiequality.Semantic.DeepEqual(s.rules.Spec(newObject), s.rules.Spec(oldObject)) {
		newObject.SetGeneration(oldObject.GetGeneration() + 1)
	}
}

// keepFinalizer puts the finalizer back that an update left out: without it, the object would be gone before what it has begun
// is ended.
func (s specStrategy[T, S, U]) keepFinalizer(ctx context.Context, obj, old T) {
	name := s.rules.Finalizer
	if name == "" || !slices.Contains(old.GetFinalizers(), name) || slices.Contains(obj.GetFinalizers(), name) {
		return
	}
	if caller.IsServer(ctx) && old.GetDeletionTimestamp() != nil {
		return
	}
	obj.SetFinalizers(withFinalizer(obj.GetFinalizers(), name))
	warning.AddWarning(ctx, "", fmt.Sprintf("metadata.finalizers: %s is kept: the server removes it when %s", name, s.rules.FinalizerEnds(old)))
}

// withFinalizer returns the finalizers with the server's own exactly once, at the end. The others keep their order.
func withFinalizer(finalizers []string, own string) []string {
	others := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool { return name == own })
	return append(others, own)
}

// ValidateUpdate checks a changed object.
func (s specStrategy[T, S, U]) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return s.rules.ValidateUpdate(obj.(T), old.(T))
}

// WarningsOnUpdate says what is allowed but may not be meant.
func (s specStrategy[T, S, U]) WarningsOnUpdate(_ context.Context, obj, old runtime.Object) []string {
	if s.rules.WarnOfUpdate == nil {
		return nil
	}
	return s.rules.WarnOfUpdate(obj.(T), old.(T))
}

type statusStrategy[T v1beta1.Stored, S, U any] struct {
	clusterScoped
	rules Rules[T, S, U]
}

// GetResetFields names what a request for the status cannot own.
func (s statusStrategy[T, S, U]) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	if s.rules.ServersOwn {
		return nil
	}
	return resetFields(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata"))
}

// PrepareForUpdate takes everything but the status from the stored object. What tells which object the client means stays as
// the client sent it.
func (s statusStrategy[T, S, U]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newObject, oldObject := obj.(T), old.(T)
	*s.rules.Spec(newObject) = *s.rules.Spec(oldObject)
	*newObject.UnknownFields() = *oldObject.UnknownFields()
	metav1.ResetObjectMetaForStatus(newObject, oldObject)
	newObject.SetGenerateName(oldObject.GetGenerateName())
	newObject.SetDeletionGracePeriodSeconds(oldObject.GetDeletionGracePeriodSeconds())
	if s.rules.ServersOwn {
		newObject.SetManagedFields(nil)
	}
	if s.rules.PrepareStatus != nil {
		s.rules.PrepareStatus(ctx, newObject, oldObject)
	}
}

// ValidateUpdate checks the new status.
func (s statusStrategy[T, S, U]) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return s.rules.ValidateStatus(obj.(T), old.(T))
}

// WarningsOnUpdate returns none.
func (statusStrategy[T, S, U]) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// Decided returns the rules for writes of what people have decided about an object. ofSpec are those for the object. Who makes
// such a write takes the rest of the object as it is stored, and has checked the decisions.
func Decided(ofSpec rest.RESTUpdateStrategy) rest.RESTUpdateStrategy { return decided{ofSpec} }

type decided struct{ rest.RESTUpdateStrategy }

// PrepareForUpdate has nothing to do.
func (decided) PrepareForUpdate(context.Context, runtime.Object, runtime.Object) {}

// ValidateUpdate checks nothing.
func (decided) ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList {
	return nil
}

// WarningsOnUpdate returns none.
func (decided) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
