// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// bill has the user of one request pay for what it writes, after all other checks. A write that is tried
// again within the request, since the object has changed meanwhile, is paid once.
type bill struct {
	bound *writeBound
	user  string
	// free is a request that is not paid for: a dry run, or one of this server itself.
	free bool
	paid int // bytes
}

func (r *REST) newBill(ctx context.Context, dryRun []string) *bill {
	return &bill{
		bound: r.writes, user: nodemaintenance.RequestorFrom(ctx),
		free: dryrun.IsDryRun(dryRun) || caller.IsServer(ctx),
	}
}

// create adds the payment to the checks of a new object.
func (b *bill) create(validate rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		return b.pay(obj)
	}
}

// update adds the payment to the checks of a changed object. One that has not changed is not written.
func (b *bill) update(validate rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, obj, old runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj, old); err != nil {
				return err
			}
		}
		if apiequality.Semantic.DeepEqual(obj, old) {
			return nil
		}
		return b.pay(obj)
	}
}

func (b *bill) pay(obj runtime.Object) error {
	hold, ok := obj.(*maintenance.NodeMaintenance)
	if !ok {
		return fmt.Errorf("could not measure a NodeMaintenance: got %T", obj)
	}
	size, err := validation.Size(hold)
	if err != nil {
		return fmt.Errorf("could not measure NodeMaintenance %q: %w", hold.Name, err)
	}
	if b.free || size <= b.paid {
		return nil
	}
	if wait := b.bound.take(b.user, size-b.paid); wait > 0 {
		return tooMuch(b.user, hold, size, wait)
	}
	b.paid = size
	return nil
}
