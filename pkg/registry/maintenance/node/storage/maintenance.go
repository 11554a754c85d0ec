// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/writeas"
)

var _ interface {
	rest.NamedCreater
	rest.Getter
	rest.GracefulDeleter
	rest.MayReturnFullObjectDeleter
	rest.StorageMetadata
	rest.TableConvertor
	rest.ResetFieldsStrategy
} = (*MaintenanceREST)(nil)

// MaintenanceREST serves nodes/maintenance: the holds on the node in the URL. So RBAC rules can name
// the nodes on which a user may create and end holds.
type MaintenanceREST struct {
	nodes Nodes
	holds *holdstorage.REST
	// writeHolds is the admission of the holds.
	writeHolds writeas.Resource
}

// New implements rest.Storage.
func (*MaintenanceREST) New() runtime.Object { return &v1beta1.NodeMaintenance{} }

// Destroy implements rest.Storage. There is nothing to destroy.
func (*MaintenanceREST) Destroy() {}

// ConvertToTable implements rest.TableConvertor.
func (r *MaintenanceREST) ConvertToTable(ctx context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	return r.holds.ConvertToTable(ctx, object, tableOptions)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (r *MaintenanceREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.holds.GetResetFields()
}

// ProducesMIMETypes implements rest.StorageMetadata: the usual ones.
func (*MaintenanceREST) ProducesMIMETypes(string) []string { return nil }

// ProducesObject is for the OpenAPI document: a GET and a DELETE return a list of holds.
func (*MaintenanceREST) ProducesObject(verb string) any {
	if verb == http.MethodGet || verb == http.MethodDelete {
		return v1beta1.NodeMaintenanceList{}
	}
	return v1beta1.NodeMaintenance{}
}

// DeleteReturnsDeletedObject implements rest.MayReturnFullObjectDeleter.
func (*MaintenanceREST) DeleteReturnsDeletedObject() bool { return true }

// Get returns all holds on the node. Ending holds and holds in stage Idle are included.
func (r *MaintenanceREST) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	holds, err := r.holds.HoldsOn(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(holds.Items) == 0 {
		if _, err := existing(r.nodes, name); err != nil {
			return nil, err
		}
	}
	return holds, nil
}

// Create implements rest.NamedCreater: it creates the caller's hold on the node. The server gives it a
// name, which is always the same for one node and caller, so that a caller has at most one such hold on
// a node.
func (r *MaintenanceREST) Create(ctx context.Context, nodeName string, obj runtime.Object, createValidation rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	hold := obj.(*v1beta1.NodeMaintenance)
	name := v1beta1.HoldName(nodeName, nodemaintenance.RequestorFrom(ctx))
	if errs := fit(hold, nodeName, name); len(errs) > 0 {
		return nil, nodemaintenance.Invalid(hold, errs)
	}
	attributes := r.writeHolds.Attributes(ctx, writeas.Write{
		Operation: admission.Create, Name: hold.Name, Object: hold, Options: options, DryRun: options.DryRun,
	})
	if err := r.writeHolds.Mutate(ctx, attributes); err != nil {
		return nil, err
	}
	if errs := fit(hold, nodeName, name); len(errs) > 0 {
		return nil, nodemaintenance.Invalid(hold, errs)
	}
	created, err := r.holds.Create(ctx, hold, r.writeHolds.ValidateCreate(createValidation, attributes), options)
	if apierrors.IsAlreadyExists(err) {
		return nil, r.explainConflict(ctx, hold, err)
	}
	return created, err
}

// fit sets the hold's name and node, which follow from the URL and the caller. It returns the fields
// that contradict them.
func fit(hold *v1beta1.NodeMaintenance, nodeName, name string) field.ErrorList {
	nodePath := field.NewPath("spec", "nodeName")
	if errs := validation.ValidateNodeName(nodeName, nodePath); len(errs) > 0 {
		return errs
	}
	var errs field.ErrorList
	if hold.Name != "" && hold.Name != name {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), hold.Name, fmt.Sprintf("the server names it: must be %q or left out", name)))
	}
	if hold.GenerateName != "" {
		errs = append(errs, field.Forbidden(field.NewPath("metadata", "generateName"), "the server names it"))
	}
	if hold.Spec.NodeName != "" && hold.Spec.NodeName != nodeName {
		errs = append(errs, field.Invalid(nodePath, hold.Spec.NodeName, fmt.Sprintf("must be %q, the node in the URL, or left out", nodeName)))
	}
	hold.Name, hold.Spec.NodeName = name, nodeName
	return errs
}

// explainConflict says how the caller holds the node already. If another's hold has the name, it says
// nothing of that.
func (r *MaintenanceREST) explainConflict(ctx context.Context, hold *v1beta1.NodeMaintenance, conflict error) error {
	requestor := nodemaintenance.RequestorFrom(ctx)
	for _, name := range []string{hold.Name, nodemaintenance.FormerHoldName(hold.Spec.NodeName, requestor)} {
		found, err := r.holds.Get(ctx, name, &metav1.GetOptions{})
		if err != nil {
			continue
		}
		first := found.(*v1beta1.NodeMaintenance)
		if first.Spec.NodeName == hold.Spec.NodeName && first.Spec.Requestor == requestor {
			return alreadyHeld(first)
		}
	}
	return conflict
}

// alreadyHeld is the error for a caller who has a hold on the node.
func alreadyHeld(first *v1beta1.NodeMaintenance) error {
	refusal := apierrors.NewAlreadyExists(v1beta1.Resource("nodemaintenances"), first.Name)
	if !first.DeletionTimestamp.IsZero() {
		refusal.ErrStatus.Message += fmt.Sprintf(": your hold on node %q is ending; try again when it is gone", first.Spec.NodeName)
	} else {
		refusal.ErrStatus.Message += fmt.Sprintf(": you hold node %q since %s; change it with kubectl patch, or end it first",
			first.Spec.NodeName, first.CreationTimestamp.UTC().Format(time.RFC3339))
	}
	return refusal
}
