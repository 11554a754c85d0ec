// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiledecision

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// change returns the decisions that a NodeProfile is to have, in place of those that it has. It changes neither.
type change func(nodeProfile *v1beta1.NodeProfile) ([]v1beta1.RecordedDecision, error)

// update changes the decisions of a NodeProfile. If somebody else changes it meanwhile, such as the server, which enters
// another state, change is asked again: what it returns is stored beside exactly the NodeProfile that it has seen.
func (r *REST) update(ctx context.Context, name string, decide change, dryRun []string) (*v1beta1.NodeProfile, error) {
	store := *r.nodeProfiles
	store.UpdateStrategy = resource.Decided(store.UpdateStrategy)
	changed := func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		nodeProfile, ok := old.DeepCopyObject().(*v1beta1.NodeProfile)
		if !ok {
			return nil, fmt.Errorf("could not decide on a NodeProfile: got %T", old)
		}
		decisions, err := decide(nodeProfile)
		nodeProfile.Status.Decisions = decisions
		return nodeProfile, err
	}
	stored, _, err := store.Update(ctx, name, rest.DefaultUpdatedObjectInfo(nil, changed), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{DryRun: dryRun})
	if err != nil {
		return nil, err
	}
	return stored.(*v1beta1.NodeProfile), nil
}
