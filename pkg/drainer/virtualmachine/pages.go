// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// newInformer returns an informer that lists page by page, and bares each page before it reads the next. A
// machine has some 10 kB, and a cluster may have 10,000.
func newInformer(client dynamic.Interface, resource schema.GroupVersionResource) cache.SharedIndexInformer {
	kind := client.Resource(resource)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return listPage(ctx, kind, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return kind.Watch(ctx, options)
		},
	}
	return cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(source, client),
		&unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ObjectDescription: resource.String()})
}

// listPage lists one page, whose size the informer chooses. The API server heeds that size only if the
// resource version is not 0.
func listPage(ctx context.Context, kind dynamic.ResourceInterface, options metav1.ListOptions) (runtime.Object, error) {
	if options.ResourceVersion == "0" {
		options.ResourceVersion = ""
	}
	list, err := kind.List(ctx, options)
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		bare(&list.Items[i])
	}
	return list, nil
}

// used are the fields that are read of both kinds.
var used = [][]string{
	{"apiVersion"},
	{"kind"},
	{"metadata", "namespace"},
	{"metadata", "name"},
	{"metadata", "uid"},
	{"metadata", "resourceVersion"},
	{"metadata", "creationTimestamp"},
	{"spec", "evictionStrategy"},
	{"spec", "vmiName"},
	{"status", "nodeName"},
	{"status", "evacuationNodeName"},
	{"status", "phase"},
	{"status", "conditions"},
	{"status", "migrationState"},
}

// bare takes all from the object that is not used.
func bare(object *unstructured.Unstructured) {
	kept := map[string]any{}
	for _, path := range used {
		if value, found, _ := unstructured.NestedFieldNoCopy(object.Object, path...); found {
			_ = unstructured.SetNestedField(kept, value, path...) // fails only where a path leads through a value
		}
	}
	object.Object = kept
}
