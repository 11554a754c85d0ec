// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
)

var _ interface {
	rest.Storage
	rest.GetterWithOptions
	rest.TableConvertor
} = (*DrainPlanREST)(nil)

// DrainPlanREST serves nodes/drainplan: what a drain of the node would do.
type DrainPlanREST struct {
	nodes         Nodes
	holds         *holdstorage.REST
	authorizeRead AuthorizeRead
	node.PlanTable
}

// New implements rest.Storage.
func (*DrainPlanREST) New() runtime.Object { return &v1beta1.DrainPlan{} }

// Destroy implements rest.Storage. There is nothing to destroy.
func (*DrainPlanREST) Destroy() {}

// NewGetOptions implements rest.GetterWithOptions. The path ends with the subresource.
func (*DrainPlanREST) NewGetOptions() (options runtime.Object, includeSubpath bool, subpathKey string) {
	return &v1beta1.DrainPlanOptions{}, false, ""
}

// Get implements rest.GetterWithOptions: it plans the drain as if a hold with these parameters existed, or
// that of a hold that exists.
func (r *DrainPlanREST) Get(ctx context.Context, name string, options runtime.Object) (runtime.Object, error) {
	asked, ok := options.(*v1beta1.DrainPlanOptions)
	if !ok {
		return nil, apierrors.NewInternalError(fmt.Errorf("got options of type %T", options))
	}
	found, err := existing(r.nodes, name)
	if err != nil {
		return nil, err
	}
	hold, err := r.hold(ctx, found.Name, asked)
	if err != nil {
		return nil, err
	}
	plan, err := r.holds.PlanHold(ctx, hold)
	if err != nil {
		return nil, unavailable(err)
	}
	return &v1beta1.DrainPlan{ObjectMeta: metav1.ObjectMeta{Name: found.Name}, Spec: hold.Spec.Drain, Status: *plan}, nil
}

// hold is the hold that the parameters name or describe.
func (r *DrainPlanREST) hold(ctx context.Context, node string, asked *v1beta1.DrainPlanOptions) (*v1beta1.NodeMaintenance, error) {
	if asked.Hold != "" {
		return r.storedHold(ctx, node, asked)
	}
	drain, errs := drainOf(asked)
	if len(errs) > 0 {
		return nil, invalidOptions(node, errs)
	}
	return &v1beta1.NodeMaintenance{
		Spec: v1beta1.NodeMaintenanceSpec{
			NodeName: node, Stage: v1beta1.StageDrain, Drain: drain, Requestor: nodemaintenance.RequestorFrom(ctx),
		},
	}, nil
}

func invalidOptions(node string, errs field.ErrorList) error {
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("DrainPlanOptions").GroupKind(), node, errs)
}

// drainOf is the drain that the parameters of a request describe.
func drainOf(asked *v1beta1.DrainPlanOptions) (v1beta1.DrainSpec, field.ErrorList) {
	drain := v1beta1.DrainSpec{
		GracePeriodSeconds: asked.GracePeriodSeconds,
		OnTimeout:          v1beta1.OnTimeoutReport,
		UnmanagedPods:      v1beta1.EvictionPolicy(asked.UnmanagedPods),
		EmptyDirPods:       v1beta1.EvictionPolicy(asked.EmptyDirPods),
	}
	if drain.UnmanagedPods == "" {
		drain.UnmanagedPods = v1beta1.PolicyEvict
	}
	if drain.EmptyDirPods == "" {
		drain.EmptyDirPods = v1beta1.PolicyEvict
	}
	var errs field.ErrorList
	if asked.PodSelector != "" {
		selector, err := metav1.ParseToLabelSelector(asked.PodSelector)
		if err != nil {
			errs = append(errs, field.Invalid(field.NewPath("podSelector"), asked.PodSelector, err.Error()))
		}
		drain.PodSelector = selector
	}
	return drain, append(errs, validation.ValidateDrain(&drain, nil)...)
}
