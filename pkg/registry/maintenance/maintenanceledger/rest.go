// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceledger

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ShortNamesProvider
	rest.CategoriesProvider
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
	rest.StorageWithReadiness
} = (*REST)(nil)

// REST serves MaintenanceLedgers. Only the server itself writes them, whatever RBAC says.
type REST struct {
	*resource.REST
}

func newREST(generic *resource.REST) rest.Storage { return &REST{generic} }

// errServerOnly is what everybody else is told.
var errServerOnly = errors.New("only maintenance-apiserver itself writes MaintenanceLedgers, as its record of which nodes " +
	"were admitted to maintenance; to change what may start, change the MaintenancePolicies (kubectl get mpol)")

func serverOnly(ctx context.Context, name string) error {
	if caller.IsServer(ctx) {
		return nil
	}
	return apierrors.NewForbidden(maintenance.Resource(Plural), name, errServerOnly)
}

// Create stores a new ledger.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	if err := serverOnly(ctx, ""); err != nil {
		return nil, err
	}
	return r.REST.Create(ctx, obj, validate, options)
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	if err := serverOnly(ctx, name); err != nil {
		return nil, false, err
	}
	return r.REST.Update(ctx, name, objInfo, createValidation, updateValidation, forceAllowCreate, options)
}

// Delete implements rest.GracefulDeleter.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	if err := serverOnly(ctx, name); err != nil {
		return nil, false, err
	}
	return r.REST.Delete(ctx, name, validate, options)
}

// DeleteCollection implements rest.CollectionDeleter.
func (r *REST) DeleteCollection(ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
	listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	if err := serverOnly(ctx, ""); err != nil {
		return nil, err
	}
	return r.REST.DeleteCollection(ctx, validate, options, listOptions)
}
