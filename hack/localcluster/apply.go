// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// kinds maps kinds to resources. It asks the API server again if it does not know a kind.
type kinds struct {
	once   sync.Once
	mapper meta.RESTMapper
}

// apply creates or changes an object in the cluster, by server-side apply.
func (c *Cluster) apply(ctx context.Context, object *unstructured.Unstructured) error {
	resources, err := c.resources(object)
	if err != nil {
		return err
	}
	options := metav1.ApplyOptions{FieldManager: fieldManager, Force: true}
	if _, err := resources.Apply(ctx, object.GetName(), object, options); err != nil {
		return fmt.Errorf("could not apply %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// resources returns the client for the kind and the namespace of an object.
func (c *Cluster) resources(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	c.kinds.once.Do(func() {
		c.kinds.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.client.Discovery()))
	})
	kind := object.GroupVersionKind()
	mapping, err := c.kinds.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("could not find resource of kind %s: %w", kind.Kind, err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
	}
	return c.dynamic.Resource(mapping.Resource), nil
}
