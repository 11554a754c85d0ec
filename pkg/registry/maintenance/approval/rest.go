// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
)

// Resource is the subresource's name in URLs and in RBAC rules.
const Resource = nodemaintenance.Plural + "/approval"

// Nodes knows the nodes of the cluster.
type Nodes interface {
	// Node returns the node of that name, nil when there is none. It fails while the nodes are not known yet.
	Node(name string) (*corev1.Node, error)
}

// Authorize checks that the user who makes the request may decide for the policy, and fails with a 403 if not. hold is
// the name of the NodeMaintenance, for the error.
type Authorize func(ctx context.Context, policy, hold string) error

var _ interface {
	rest.NamedCreater
	rest.GracefulDeleter
	rest.StorageMetadata
} = (*REST)(nil)

// REST serves nodemaintenances/approval. The decisions are part of the status of the NodeMaintenance, and nothing else
// writes them.
type REST struct {
	holds     *holdstorage.REST
	policies  Policies
	nodes     Nodes
	authorize Authorize
	clock     clock.PassiveClock
}

// New makes the storage of the subresource.
func New(holds *holdstorage.REST, policies Policies, nodes Nodes, authorize Authorize) *REST {
	return &REST{holds: holds, policies: policies, nodes: nodes, authorize: authorize, clock: clock.RealClock{}}
}

// New implements rest.Storage.
func (*REST) New() runtime.Object { return &v1beta1.MaintenanceApproval{} }

// Destroy implements rest.Storage. There is nothing to destroy.
func (*REST) Destroy() {}

// ProducesMIMETypes implements rest.StorageMetadata: the usual ones.
func (*REST) ProducesMIMETypes(string) []string { return nil }

// ProducesObject is for the OpenAPI document: a DELETE returns a Status.
func (*REST) ProducesObject(verb string) any {
	if verb == http.MethodDelete {
		return metav1.Status{}
	}
	return v1beta1.MaintenanceApproval{}
}

func (r *REST) hold(ctx context.Context, name string) (*v1beta1.NodeMaintenance, error) {
	found, err := r.holds.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	hold, ok := found.(*v1beta1.NodeMaintenance)
	if !ok {
		return nil, fmt.Errorf("could not read NodeMaintenance %q: got %T", name, found)
	}
	return hold, nil
}

// node returns the node. A decision is about one that exists.
func (r *REST) node(name string) (*corev1.Node, error) {
	node, err := r.nodes.Node(name)
	switch {
	case err != nil:
		return nil, apierrors.NewServiceUnavailable(err.Error())
	case node == nil:
		return nil, apierrors.NewConflict(v1beta1.Resource("nodes"), name, fmt.Errorf("the node does not exist, so there is nothing to decide"))
	default:
		return node, nil
	}
}

func invalid(name string, errs field.ErrorList) error {
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("MaintenanceApproval").GroupKind(), name, errs)
}
