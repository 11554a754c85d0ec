// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package profileevaluation serves nodeprofiles/evaluation: what the checks of a profile on a node say now.
package profileevaluation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodeprofile"
)

// Resource is the subresource's name in URLs and in RBAC rules.
const Resource = nodeprofile.Plural + "/evaluation"

// Evaluator evaluates profiles.
type Evaluator interface {
	// Evaluate returns what the checks of the NodeProfile say now. It changes nothing, and asks no other servers. It fails
	// while it does not know enough.
	Evaluate(ctx context.Context, nodeProfile *v1beta1.NodeProfile) (*v1beta1.NodeProfileEvaluation, error)
}

var _ rest.Getter = (*REST)(nil)

// REST serves nodeprofiles/evaluation. It is computed when it is asked for.
type REST struct {
	nodeProfiles rest.Getter
	evaluator    Evaluator
}

// New makes the storage of the subresource.
func New(nodeProfiles rest.Getter, evaluator Evaluator) *REST {
	return &REST{nodeProfiles: nodeProfiles, evaluator: evaluator}
}

// New implements rest.Storage.
func (*REST) New() runtime.Object { return &v1beta1.NodeProfileEvaluation{} }

// Destroy implements rest.Storage. There is nothing to destroy.
func (*REST) Destroy() {}

// Get implements rest.Getter. It fails with ServiceUnavailable while the evaluator does not know enough.
func (r *REST) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	found, err := r.nodeProfiles.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	stored, ok := found.(*v1beta1.NodeProfile)
	if !ok {
		return nil, fmt.Errorf("could not read NodeProfile %q: got %T", name, found)
	}
	evaluation, err := r.evaluator.Evaluate(ctx, stored.DeepCopy())
	if err != nil {
		return nil, apierrors.NewServiceUnavailable(err.Error())
	}
	evaluation.ObjectMeta = metav1.ObjectMeta{Name: name}
	return evaluation, nil
}
