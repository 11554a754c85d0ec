// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

const (
	// maxHoldsOfRequestor is how many holds one requestor may have on one node: more than anybody
	// needs, and far fewer than fill the store, which would keep every node as it is. Creates at
	// the same moment do not see each other.
	maxHoldsOfRequestor = 32
)

// admit has a new hold checked against what is there, after everything else: who may not
// create it learns nothing of the others. It leaves the other holds on the node in others.
func (r *REST) admit(validate rest.ValidateObjectFunc, others *[]maintenance.NodeMaintenance) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		hold, ok := obj.(*maintenance.NodeMaintenance)
		if !ok {
			return fmt.Errorf("could not admit a NodeMaintenance: got %T", obj)
		}
		if err := r.admitToStore(hold); err != nil {
			return err
		}
		if err := r.admitName(hold); err != nil {
			return err
		}
		known, err := r.knownOn(ctx, hold.Spec.NodeName)
		if err != nil {
			return err
		}
		*others = known
		return admitAnother(hold, known)
	}
}

// admitName keeps for everybody the name that POST nodes/maintenance gives to their hold: taken
// by another, that POST would be refused for as long as the other lasts. Before the nodes are
// known, each is taken to exist.
func (r *REST) admitName(hold *maintenance.NodeMaintenance) error {
	own := nodemaintenance.HoldName(hold.Spec.NodeName, hold.Spec.Requestor)
	node, ok := nodemaintenance.NodeInHoldName(hold.Name)
	if !ok || hold.Name == own {
		return nil
	}
	if ofOwnNode, _ := nodemaintenance.NodeInHoldName(own); node != ofOwnNode && !r.nodes.HasNode(node) {
		return nil
	}
	return nodemaintenance.Invalid(hold, field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), hold.Name,
		fmt.Sprintf("is kept for a hold that is created through nodes/%s/maintenance: choose one that does not end in a dash and 8 hexadecimal digits", node))})
}

func admitAnother(hold *maintenance.NodeMaintenance, others []maintenance.NodeMaintenance) error {
	count := 0
	for i := range others {
		if others[i].Spec.Requestor == hold.Spec.Requestor {
			count++
		}
	}
	if count < maxHoldsOfRequestor {
		return nil
	}
	return apierrors.NewForbidden(maintenance.Resource(nodemaintenance.Plural), hold.Name, fmt.Errorf(
		"user %q has %d NodeMaintenances for node %q, and may have %d: end one first", hold.Spec.Requestor, count, hold.Spec.NodeName, maxHoldsOfRequestor))
}

// refuseTooLarge stops an update before the library looks at each of its labels: it says what is
// wrong with every one, in a text that takes it time by the square of their number.
func refuseTooLarge(_ context.Context, obj, old runtime.Object) (runtime.Object, error) {
	newHold, isHold := obj.(*maintenance.NodeMaintenance)
	oldHold, wasHold := old.(*maintenance.NodeMaintenance)
	if !isHold || !wasHold {
		return nil, fmt.Errorf("could not update a NodeMaintenance: got %T for %T", obj, old)
	}
	if errs := validation.ValidateSize(newHold, oldHold); len(errs) > 0 {
		return nil, nodemaintenance.Invalid(newHold, errs)
	}
	return obj, nil
}
