// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
)

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ShortNamesProvider
	rest.CategoriesProvider
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
} = (*REST)(nil)

// REST serves nodemaintenances of a former group.
type REST struct {
	*storage.REST
	*group
}

// Destroy implements rest.Storage. It does nothing: the storage is another group's.
func (r *REST) Destroy() {}

// ShortNames implements rest.ShortNamesProvider.
func (r *REST) ShortNames() []string {
	if r.isMedik8s() {
		return []string{"nm"}
	}
	return nil
}

// Categories implements rest.CategoriesProvider.
func (r *REST) Categories() []string { return nil }

// ConvertToTable implements rest.TableConvertor.
func (r *REST) ConvertToTable(ctx context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	return nodemaintenance.NameAndAge.ConvertToTable(ctx, object, tableOptions)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (r *REST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.withOwn(r.REST.GetResetFields(), fieldpath.NewSet(fieldpath.MakePathOrDie("status")))
}

// Create creates a hold with the checks of the group.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	var node string
	if hold, ok := obj.(*v1beta1.NodeMaintenance); ok {
		node = hold.Spec.NodeName
	}
	ctx = withShownWarnings(ctx)
	created, err := r.CreateBeside(ctx, r.admitBeside, obj, validate, options)
	return shown(created), r.notCreated(ctx, node, err)
}

// Update implements rest.Updater.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	var node string
	complete := rest.WrapUpdatedObjectInfo(objInfo, r.keepNode, r.complete, remember(&node))
	ctx = withShownWarnings(ctx)
	obj, created, err := r.UpdateBeside(ctx, r.admitBeside, name, complete, createValidation, updateValidation, forceAllowCreate, options)
	return shown(obj), created, r.notCreated(ctx, node, err)
}

// remember keeps the node of the hold that an update may create.
func remember(node *string) rest.TransformFunc {
	return func(_ context.Context, obj, _ runtime.Object) (runtime.Object, error) {
		*node = obj.(*v1beta1.NodeMaintenance).Spec.NodeName
		return obj, nil
	}
}

// Get implements rest.Getter.
func (r *REST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	obj, err := r.REST.Get(ctx, name, options)
	return shown(obj), r.inOwnWords(err)
}

// List implements rest.Lister.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	list, err := r.REST.REST.List(ctx, options) // not the one that several requests share: it is not shown as it is
	return shown(list), r.inOwnWords(err)
}

// Watch implements rest.Watcher.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	events, err := r.REST.Watch(ctx, options)
	if err != nil {
		return nil, r.inOwnWords(err)
	}
	return r.shownEvents(ctx, events), nil
}

// Delete implements rest.GracefulDeleter.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	obj, gone, err := r.REST.Delete(ctx, name, validate, options)
	return shown(obj), gone, r.inOwnWords(err)
}

// DeleteCollection implements rest.CollectionDeleter.
func (r *REST) DeleteCollection(ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
	listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	list, err := r.REST.DeleteCollection(ctx, validate, options, listOptions)
	return shown(list), r.inOwnWords(err)
}
