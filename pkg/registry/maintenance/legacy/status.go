// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

var _ interface {
	rest.Patcher
	rest.ResetFieldsStrategy
} = (*StatusREST)(nil)

// StatusREST serves nodemaintenances/status of a former group.
type StatusREST struct {
	*resource.StatusREST
	*group
}

// Get implements rest.Getter.
func (r *StatusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	obj, err := r.StatusREST.Get(ctx, name, options)
	return shown(obj), r.inOwnWords(err)
}

// Update implements rest.Updater.
func (r *StatusREST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	complete := rest.WrapUpdatedObjectInfo(objInfo, r.complete)
	obj, created, err := r.StatusREST.Update(ctx, name, complete, createValidation, updateValidation, forceAllowCreate, options)
	return shown(obj), created, r.inOwnWords(err)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (r *StatusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.withOwn(r.StatusREST.GetResetFields(), fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")))
}

// ConvertToTable implements rest.TableConvertor.
func (r *StatusREST) ConvertToTable(ctx context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	return nodemaintenance.NameAndAge.ConvertToTable(ctx, object, tableOptions)
}

// withOwn adds the fields that a request in this version cannot own to those of other versions.
func (g *group) withOwn(others map[fieldpath.APIVersion]*fieldpath.Set, own *fieldpath.Set) map[fieldpath.APIVersion]*fieldpath.Set {
	all := maps.Clone(others)
	all[fieldpath.APIVersion(g.String())] = own
	return all
}
