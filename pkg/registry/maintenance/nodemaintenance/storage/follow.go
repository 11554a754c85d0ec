// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strconv"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Revision is the revision of the store now.
func (r *REST) Revision(ctx context.Context) (uint64, error) {
	revision, err := r.Storage.Storage.GetCurrentResourceVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("could not ask the store for its revision: %w", err)
	}
	return revision, nil
}

// ListAll lists all holds as they are now, and the revision of the store that the list shows.
func (r *REST) ListAll(ctx context.Context) ([]v1beta1.NodeMaintenance, uint64, error) {
	listed, err := r.REST.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return nil, 0, err
	}
	list, ok := listed.(*v1beta1.NodeMaintenanceList)
	if !ok {
		return nil, 0, fmt.Errorf("could not list the holds: got %T", listed)
	}
	revision, err := RevisionOf(list)
	return list.Items, revision, err
}

// RevisionOf is the revision of the store that the list shows.
func RevisionOf(list *v1beta1.NodeMaintenanceList) (uint64, error) {
	return ParseRevision(list.ResourceVersion)
}

// ParseRevision reads a resourceVersion of the store.
func ParseRevision(resourceVersion string) (uint64, error) {
	revision, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("could not read the store's revision: %w", err)
	}
	return revision, nil
}

// ListerWatcher lists and watches all holds in process. The objects are not to be changed.
func (r *REST) ListerWatcher() cache.ListerWatcher {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			internal, err := internalOptions(options)
			if err != nil {
				return nil, err
			}
			return r.REST.List(ctx, internal)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			internal, err := internalOptions(options)
			if err != nil {
				return nil, err
			}
			watching, err := r.Watch(ctx, internal)
			if err != nil {
				return nil, err
			}
			return watch.Filter(watching, unwrapped), nil
		},
	}
}

func internalOptions(options metav1.ListOptions) (*metainternalversion.ListOptions, error) {
	internal := &metainternalversion.ListOptions{}
	err := metainternalversion.Convert_v1_ListOptions_To_internalversion_ListOptions(&options, internal, nil)
	return internal, err
}

// unwrapped takes the object out of what the watch cache uses to encode it only once.
func unwrapped(event watch.Event) (watch.Event, bool) {
	if wrapped, ok := event.Object.(runtime.CacheableObject); ok {
		event.Object = wrapped.GetObject()
	}
	return event, true
}
