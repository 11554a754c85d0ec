// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// caches are the machines and migrations of the cluster, with only what is used of them.
type caches struct{ machines, migrations cache.SharedIndexInformer }

// newCaches returns caches that are not running yet. They call end when the API server does not let them
// read, which stays so for a while.
func newCaches(client dynamic.Interface, changes cache.ResourceEventHandler, end func()) (*caches, error) {
	known := &caches{}
	for _, of := range []struct {
		resource schema.GroupVersionResource
		informer *cache.SharedIndexInformer
		keep     func(*unstructured.Unstructured) any
	}{
		{machines, &known.machines, func(u *unstructured.Unstructured) any { return newMachine(u) }},
		{migrations, &known.migrations, func(u *unstructured.Unstructured) any { return newMigration(u) }},
	} {
		informer := newInformer(client, of.resource)
		*of.informer = informer
		if err := prepare(informer, of.keep, changes, end); err != nil {
			return nil, fmt.Errorf("could not prepare the watch of %s: %w", of.resource.Resource, err)
		}
	}
	return known, nil
}

// prepare has the informer keep only what keep returns, tell of changes, and call end after a refusal.
func prepare(informer cache.SharedIndexInformer, keep func(*unstructured.Unstructured) any, changes cache.ResourceEventHandler, end func()) error {
	if err := informer.SetTransform(only(keep)); err != nil {
		return err
	}
	err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, reflector *cache.Reflector, err error) {
		if !refused(err) {
			cache.DefaultWatchErrorHandler(ctx, reflector, err)
			return
		}
		klog.FromContext(ctx).V(2).Info("Virtual machines are not watched", "askAgainAfter", askAgain, "reason", err.Error())
		end()
	})
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(changes)
	return err
}

// only returns what keep keeps of an object. An object may come twice.
func only(keep func(*unstructured.Unstructured) any) cache.TransformFunc {
	return func(obj any) (any, error) {
		if u, isNew := obj.(*unstructured.Unstructured); isNew {
			return keep(u), nil
		}
		return obj, nil
	}
}

func (c *caches) facts() facts {
	return newFacts(listed[*machine](c.machines), listed[*migration](c.migrations))
}

func listed[T any](informer cache.SharedIndexInformer) []T {
	objects := informer.GetStore().List()
	found := make([]T, 0, len(objects))
	for _, object := range objects {
		if typed, isTyped := object.(T); isTyped {
			found = append(found, typed)
		}
	}
	return found
}

// changes wakes the nodes that a change of a machine or of a migration concerns.
func (w *Watch) changes() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { w.concern(obj) },
		UpdateFunc: func(old, updated any) {
			if !same(old, updated) {
				w.concern(old)
				w.concern(updated)
			}
		},
		DeleteFunc: func(obj any) { w.concern(obj) },
	}
}

// concern wakes the node of a machine. A migration may free a slot, so it concerns all nodes.
func (w *Watch) concern(obj any) {
	if of, isMachine := obj.(*machine); isMachine {
		w.wake(of.node)
		return
	}
	w.wake(w.followed()...)
}

// same says whether nothing has changed of what is kept. Machines are written often, for other reasons.
func same(old, updated any) bool {
	switch before := old.(type) {
	case *machine:
		after, isMachine := updated.(*machine)
		return isMachine && reflect.DeepEqual(before.withoutVersion(), after.withoutVersion())
	case *migration:
		after, isMigration := updated.(*migration)
		return isMigration && reflect.DeepEqual(before.withoutVersion(), after.withoutVersion())
	default:
		return false
	}
}

func (m machine) withoutVersion() machine {
	m.ResourceVersion = ""
	return m
}

func (m migration) withoutVersion() migration {
	m.ResourceVersion = ""
	return m
}
