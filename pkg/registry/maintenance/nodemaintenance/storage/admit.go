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

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

const (
	// maxHoldsOfRequestor is how many holds one requestor may have on one node. It is more than anybody
	// needs, and far fewer than fill the store: with a full store, no node could be given back.
	maxHoldsOfRequestor = 32
	// maxHoldsOfNode is how many holds all requestors together may have on one node. Otherwise
	// someone who can create ServiceAccounts could have any number.
	maxHoldsOfNode = 256
)

// admit checks a new hold against the stored ones. It runs after all other checks, so that a user who
// may not create the hold learns nothing about the others. If it succeeds, the creation has begun. The
// store may ask it again if it could not store the hold at first.
func (r *REST) admit(validate rest.ValidateObjectFunc, creating *creation) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		creating.end()
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		hold, ok := obj.(*v1beta1.NodeMaintenance)
		if !ok {
			return fmt.Errorf("could not admit a NodeMaintenance: got %T", obj)
		}
		if err := admitName(hold); err != nil {
			return err
		}
		return r.admitNext(ctx, hold, creating)
	}
}

func (r *REST) admitNext(ctx context.Context, hold *v1beta1.NodeMaintenance, creating *creation) error {
	creating.begin(hold)
	others, err := r.knownOn(ctx, hold.Spec.NodeName)
	if err != nil {
		return err
	}
	creating.others = others
	if creating.beside != nil {
		if err := creating.beside(hold, others); err != nil {
			warnOfEarlierHolds(ctx, hold.Spec.NodeName, others) // the refusal may not say whose they are
			return err
		}
	}
	if err := admitOnlyOne(hold, others); err != nil {
		return err
	}
	if err := admitAnother(hold, others); err != nil {
		return err
	}
	return r.admitToQuorum(ctx, hold, creating)
}

// admitOnlyOne refuses a hold that is created through nodes/maintenance if an earlier version of the
// server has stored one for the same requestor, under another name than today's.
func admitOnlyOne(hold *v1beta1.NodeMaintenance, others []v1beta1.NodeMaintenance) error {
	node, requestor := hold.Spec.NodeName, hold.Spec.Requestor
	former := nodemaintenance.FormerHoldName(node, requestor)
	for i := range others {
		if others[i].Name == former && others[i].Spec.Requestor == requestor && hold.Name == v1beta1.HoldName(node, requestor) {
			return apierrors.NewAlreadyExists(v1beta1.Resource(nodemaintenance.Plural), former)
		}
	}
	return nil
}

// admitName refuses a name that POST nodes/maintenance gives to another hold: that POST would be refused
// for as long as the hold with the name exists. The node may not exist yet.
func admitName(hold *v1beta1.NodeMaintenance) error {
	node, ok := nodemaintenance.NodeInHoldName(hold.Name)
	if !ok || hold.Name == v1beta1.HoldName(hold.Spec.NodeName, hold.Spec.Requestor) {
		return nil
	}
	return nodemaintenance.Invalid(hold, field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), hold.Name, fmt.Sprintf(
		"is kept for a hold that is created through nodes/%s/maintenance: choose one that does not end in a dash and 32 hexadecimal digits", node))})
}

func admitAnother(hold *v1beta1.NodeMaintenance, others []v1beta1.NodeMaintenance) error {
	count := 0
	for i := range others {
		if others[i].Spec.Requestor == hold.Spec.Requestor {
			count++
		}
	}
	switch {
	case count >= maxHoldsOfRequestor:
		return tooMany(hold, "user %q has %d NodeMaintenances for node %q, and may have %d: end one first",
			hold.Spec.Requestor, count, hold.Spec.NodeName, maxHoldsOfRequestor)
	case len(others) >= maxHoldsOfNode:
		return tooMany(hold, "all users together have %d NodeMaintenances for node %q, and may have %d: one of them must end first",
			len(others), hold.Spec.NodeName, maxHoldsOfNode)
	default:
		return nil
	}
}

func tooMany(hold *v1beta1.NodeMaintenance, format string, args ...any) error {
	return apierrors.NewForbidden(v1beta1.Resource(nodemaintenance.Plural), hold.Name, fmt.Errorf(format, args...))
}

// refuseTooLarge refuses an update that is too large before the library validates its labels: the
// library's time to report all wrong labels grows with the square of their number. What the server
// itself writes is never too large: it must be able to end every hold.
func refuseTooLarge(ctx context.Context, obj, old runtime.Object) (runtime.Object, error) {
	newHold, isHold := obj.(*v1beta1.NodeMaintenance)
	oldHold, wasHold := old.(*v1beta1.NodeMaintenance)
	if !isHold || !wasHold {
		return nil, fmt.Errorf("could not update a NodeMaintenance: got %T for %T", obj, old)
	}
	if caller.IsServer(ctx) {
		return obj, nil
	}
	if errs := validation.ValidateSize(newHold, oldHold); len(errs) > 0 {
		return nil, nodemaintenance.Invalid(newHold, errs)
	}
	return obj, nil
}
