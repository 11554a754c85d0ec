// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	legacyapi "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/owners"
)

// complete adds to an update what its version cannot say, from the stored object.
func (g *group) complete(_ context.Context, obj, old runtime.Object) (runtime.Object, error) {
	written, stored, err := holds(obj, old)
	if err != nil {
		return nil, err
	}
	written.ManagedFields = owners.InOurTerms(written.ManagedFields, stored.ManagedFields)
	if stored.UID == "" { // an apply creates the object
		return written, nil
	}
	seen, err := g.seen(stored)
	if err != nil {
		return nil, err
	}
	legacyapi.Keep(written, stored, seen)
	return written, nil
}

// keepNode refuses another node.
func (g *group) keepNode(_ context.Context, obj, old runtime.Object) (runtime.Object, error) {
	written, stored, err := holds(obj, old)
	if err != nil {
		return nil, err
	}
	if stored.UID != "" && written.Spec.NodeName != stored.Spec.NodeName {
		return nil, g.forbidden(stored, nodeChanged)
	}
	return written, nil
}

// seen is the stored hold as a client of this version sees it.
func (g *group) seen(stored *v1beta1.NodeMaintenance) (*v1beta1.NodeMaintenance, error) {
	shown, err := g.convertor.ConvertToVersion(stored.DeepCopy(), g.GroupVersion)
	if err != nil {
		return nil, err
	}
	seen, err := g.convertor.ConvertToVersion(shown, schema.GroupVersion{Group: g.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	return seen.(*v1beta1.NodeMaintenance), nil
}

func holds(obj, old runtime.Object) (written, stored *v1beta1.NodeMaintenance, err error) {
	written, isHold := obj.(*v1beta1.NodeMaintenance)
	stored, wasHold := old.(*v1beta1.NodeMaintenance)
	if !isHold || !wasHold {
		return nil, nil, fmt.Errorf("could not update a NodeMaintenance: got %T for %T", obj, old)
	}
	return written, stored, nil
}
