// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Delete implements rest.GracefulDeleter. The finalizer keeps the object until
// the node has been given back, so a delete that is stored is only the start.
func (r *REST) Delete(ctx context.Context, name string, deleteValidation rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	if err := r.validatePrecondition(ctx, name, deleteValidation, options); err != nil {
		return nil, false, err
	}
	obj, gone, err := r.REST.Delete(ctx, name, deleteValidation, options)
	if err != nil {
		return nil, false, err
	}
	r.deleted(ctx, options, obj)
	return obj, gone, nil
}

// validatePrecondition validates a delete that names the UID or the version of the hold. The library compares
// them first, and its error would tell them to a user who may not delete the hold.
func (r *REST) validatePrecondition(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) error {
	if options == nil || options.Preconditions == nil || validate == nil {
		return nil
	}
	obj, err := r.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return err
	}
	return validate(ctx, obj)
}

// DeleteCollection implements rest.CollectionDeleter. Nothing is deleted unless all selected holds may
// be deleted.
func (r *REST) DeleteCollection(ctx context.Context, deleteValidation rest.ValidateObjectFunc,
	options *metav1.DeleteOptions, listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	listed, err := r.REST.List(ctx, listOptions)
	if err != nil {
		return nil, err
	}
	list, ok := listed.(*v1beta1.NodeMaintenanceList)
	if !ok {
		return nil, fmt.Errorf("could not delete a collection of %T", listed)
	}
	list.Items, err = r.DeleteHolds(ctx, list.Items, deleteValidation, options)
	return list, err
}

// DeleteHolds first validates all listed holds, then deletes them, and returns those that still
// existed. If one cannot be deleted it fails; others may have been deleted by then.
func (r *REST) DeleteHolds(ctx context.Context, holds []v1beta1.NodeMaintenance, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) ([]v1beta1.NodeMaintenance, error) {
	if validate != nil {
		if err := each(ctx, holds, func(i int) error { return validate(ctx, holds[i].DeepCopy()) }); err != nil {
			return nil, err
		}
	}
	found := make([]*v1beta1.NodeMaintenance, len(holds))
	err := each(ctx, holds, func(i int) (err error) {
		found[i], err = r.deleteListed(ctx, &holds[i], options)
		return err
	})
	deleted, objects := []v1beta1.NodeMaintenance{}, []runtime.Object(nil)
	for _, hold := range found {
		if hold != nil {
			deleted, objects = append(deleted, *hold), append(objects, hold)
		}
	}
	r.deleted(ctx, options, objects...)
	if err != nil {
		return nil, err
	}
	return deleted, nil
}

// deleteListed deletes exactly the hold that was listed and validated. It returns nil when that hold is
// gone, even if a new one has its name.
func (r *REST) deleteListed(ctx context.Context, hold *v1beta1.NodeMaintenance, options *metav1.DeleteOptions) (*v1beta1.NodeMaintenance, error) {
	exactly := options.DeepCopy()
	if exactly == nil {
		exactly = &metav1.DeleteOptions{}
	}
	asked := exactly.Preconditions != nil && (exactly.Preconditions.UID != nil || exactly.Preconditions.ResourceVersion != nil)
	if !asked {
		exactly.Preconditions = &metav1.Preconditions{UID: &hold.UID}
	}
	object, _, err := r.REST.Delete(ctx, hold.Name, rest.ValidateAllObjectFunc, exactly)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err) && !asked:
		return nil, nil
	case err != nil:
		return nil, err
	}
	found, ok := object.(*v1beta1.NodeMaintenance)
	if !ok {
		return nil, fmt.Errorf("could not delete NodeMaintenance %s: got %T", hold.Name, object)
	}
	return found, nil
}

func (r *REST) deleted(ctx context.Context, options *metav1.DeleteOptions, objects ...runtime.Object) {
	var dryRun []string
	if options != nil {
		dryRun = options.DryRun
	}
	r.wrote(dryRun, objects...)
	noteInAudit(ctx, objects...)
	r.warnOfRemainingHolds(ctx, objects...)
}
