// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// write is a write of one profile. Its last check compares the profile with the others. From then on, other writes wait
// until end.
type write struct {
	of   *REST
	held bool
	// changed says that the spec is a new one.
	changed bool
	// others are the other profiles.
	others []v1beta1.MaintenanceProfile
}

// afterCreate adds the check to the others. The store may ask it again if it could not store the profile at first.
func (w *write) afterCreate(validate rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		return w.check(ctx, obj, &v1beta1.MaintenanceProfile{})
	}
}

// afterUpdate is afterCreate for updates.
func (w *write) afterUpdate(validate rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, obj, old runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj, old); err != nil {
				return err
			}
		}
		return w.check(ctx, obj, old)
	}
}

func (w *write) check(ctx context.Context, obj, old runtime.Object) error {
	profile, isProfile := obj.(*v1beta1.MaintenanceProfile)
	before, wasProfile := old.(*v1beta1.MaintenanceProfile)
	if !isProfile || !wasProfile {
		return fmt.Errorf("could not compare profiles: got %T and %T", obj, old)
	}
	if w.changed = profile.Generation != before.Generation; !w.changed {
		return nil
	}
	if !w.held {
		w.of.writing.Lock()
		w.held = true
	}
	var err error
	if w.others, err = w.of.others(ctx, profile.Name); err != nil {
		return err
	}
	return w.of.compare(ctx, profile, before, w.others)
}

func (w *write) end() {
	if w.held {
		w.of.writing.Unlock()
		w.held = false
	}
}
