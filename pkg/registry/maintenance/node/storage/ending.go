// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

// Delete ends the caller's holds on the node, whichever way they were created.
func (r *MaintenanceREST) Delete(ctx context.Context, nodeName string, deleteValidation rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	holds, err := r.holds.HoldsOn(ctx, nodeName)
	if err != nil {
		return nil, false, err
	}
	requestor := nodemaintenance.RequestorFrom(ctx)
	own := slices.DeleteFunc(slices.Clone(holds.Items), func(hold v1beta1.NodeMaintenance) bool { return hold.Spec.Requestor != requestor })
	if len(own) == 0 {
		return nil, false, nothingToEnd(nodeName, holds.Items)
	}
	if own, err = meant(own, nodeName, options); err != nil {
		return nil, false, err
	}
	validate := func(ctx context.Context, object runtime.Object) error {
		attributes := r.writeHolds.Attributes(ctx, writeas.Write{
			Operation: admission.Delete, Name: object.(*v1beta1.NodeMaintenance).Name, Options: options, DryRun: options.DryRun,
		})
		return r.writeHolds.ValidateDelete(deleteValidation, attributes)(ctx, object)
	}
	deleted, err := r.holds.DeleteHolds(ctx, own, validate, options)
	if err != nil {
		return nil, false, err
	}
	return &v1beta1.NodeMaintenanceList{Items: deleted}, false, nil
}

// meant returns the holds that meet the preconditions of a delete. It fails when there are none.
func meant(holds []v1beta1.NodeMaintenance, nodeName string, options *metav1.DeleteOptions) ([]v1beta1.NodeMaintenance, error) {
	if options.Preconditions == nil || options.Preconditions.UID == nil {
		return holds, nil
	}
	uid := *options.Preconditions.UID
	holds = slices.DeleteFunc(holds, func(hold v1beta1.NodeMaintenance) bool { return hold.UID != uid })
	if len(holds) == 0 {
		return nil, apierrors.NewConflict(v1beta1.Resource("nodes/maintenance"), nodeName, fmt.Errorf("none of your holds has the UID %s", uid))
	}
	return holds, nil
}

// nothingToEnd is the error for a caller who has no hold on the node. It says who has.
func nothingToEnd(nodeName string, holds []v1beta1.NodeMaintenance) error {
	missing := apierrors.NewNotFound(v1beta1.Resource("nodes/maintenance"), nodeName)
	if len(holds) == 0 {
		missing.ErrStatus.Message += ": nobody holds the node"
	} else {
		missing.ErrStatus.Message += ": you do not hold the node; held by " + holdstorage.Describe(holds)
	}
	return missing
}
