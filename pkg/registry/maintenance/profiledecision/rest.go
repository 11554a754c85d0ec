// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiledecision

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodeprofile"
)

// Resource is the subresource's name in URLs and in RBAC rules.
const Resource = nodeprofile.Plural + "/decision"

// The verbs on nodes/profiles, named by the node, that decisions require.
const (
	verbApprove = "approve"
	verbVeto    = "veto"
	verbForce   = "force"
)

// Authorize returns an error if the user who makes the request does not have the verb on nodes/profiles of the node.
// nodeProfile is the name of the NodeProfile, for the error.
type Authorize func(ctx context.Context, verb, node, nodeProfile string) error

var _ interface {
	rest.NamedCreater
	rest.GracefulDeleter
	rest.StorageMetadata
} = (*REST)(nil)

// REST serves nodeprofiles/decision. A POST decides, a DELETE withdraws what the same user has decided.
type REST struct {
	nodeProfiles *genericregistry.Store
	authorize    Authorize
	clock        clock.PassiveClock
}

// New makes the storage of the subresource. nodeProfiles is the store of the NodeProfiles.
func New(nodeProfiles *genericregistry.Store, authorize Authorize) *REST {
	return &REST{nodeProfiles: nodeProfiles, authorize: authorize, clock: clock.RealClock{}}
}

// New implements rest.Storage.
func (*REST) New() runtime.Object { return &v1beta1.NodeProfileDecision{} }

// Destroy implements rest.Storage. There is nothing to destroy.
func (*REST) Destroy() {}

// ProducesMIMETypes implements rest.StorageMetadata: there are no others than for each resource.
func (*REST) ProducesMIMETypes(string) []string { return nil }

// ProducesObject implements rest.StorageMetadata, for the OpenAPI document.
func (*REST) ProducesObject(verb string) any {
	if verb == http.MethodDelete {
		return metav1.Status{}
	}
	return v1beta1.NodeProfileDecision{}
}

func (r *REST) nodeProfile(ctx context.Context, name string) (*v1beta1.NodeProfile, error) {
	found, err := r.nodeProfiles.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	nodeProfile, ok := found.(*v1beta1.NodeProfile)
	if !ok {
		return nil, fmt.Errorf("could not read NodeProfile %q: got %T", name, found)
	}
	return nodeProfile, nil
}

func invalid(name string, errs field.ErrorList) error {
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("NodeProfileDecision").GroupKind(), name, errs)
}

func conflict(nodeProfile *v1beta1.NodeProfile, format string, args ...any) error {
	return apierrors.NewConflict(v1beta1.Resource(nodeprofile.Plural), nodeProfile.Name, fmt.Errorf(format, args...))
}
