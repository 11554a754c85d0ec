// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinestest

import (
	"context"
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// client is the client of a kind in a namespace. It has the verbs that are used: others panic.
type client struct {
	dynamic.NamespaceableResourceInterface

	server    *Server
	kind      schema.GroupVersionKind
	resource  schema.GroupVersionResource
	namespace string
}

// Namespace is part of dynamic.NamespaceableResourceInterface.
func (c *client) Namespace(namespace string) dynamic.ResourceInterface {
	in := *c
	in.namespace = namespace
	return &in
}

// Get is part of dynamic.ResourceInterface.
func (c *client) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	c.server.reading()
	if err := c.server.fault("get", c.kind, name); err != nil {
		return nil, err
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	object, found := c.server.objects[key(c.kind, c.namespace, name)]
	if !found {
		return nil, notFound(c, name)
	}
	return object.DeepCopy(), nil
}

// List is part of dynamic.ResourceInterface.
func (c *client) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	c.server.reading()
	if err := c.server.fault("list", c.kind, ""); err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{}
	for _, object := range c.server.All(c.kind.Kind) {
		if object.GroupVersionKind().Group == c.kind.Group && (c.namespace == "" || c.namespace == object.GetNamespace()) {
			list.Items = append(list.Items, *object)
		}
	}
	return list, nil
}

// Update is part of dynamic.ResourceInterface.
func (c *client) Update(_ context.Context, object *unstructured.Unstructured, _ metav1.UpdateOptions, _ ...string) (*unstructured.Unstructured, error) {
	if err := c.server.fault("update", c.kind, object.GetName()); err != nil {
		return nil, err
	}
	before, after, err := c.update(object)
	if err != nil {
		return nil, err
	}
	c.server.wrote(before, after)
	return after.DeepCopy(), nil
}

func (c *client) update(object *unstructured.Unstructured) (before, after *unstructured.Unstructured, err error) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	at := key(c.kind, c.namespace, object.GetName())
	before, found := c.server.objects[at]
	if !found {
		return nil, nil, notFound(c, object.GetName())
	}
	if before.GetResourceVersion() != object.GetResourceVersion() || before.GetUID() != object.GetUID() {
		return nil, nil, c.conflict(object.GetName())
	}
	c.server.version++
	after = object.DeepCopy()
	after.SetResourceVersion(strconv.Itoa(c.server.version))
	c.server.objects[at] = after
	return before, after, nil
}

// Delete is part of dynamic.ResourceInterface. The object stays, with a deletionTimestamp, until Server.Remove.
func (c *client) Delete(_ context.Context, name string, options metav1.DeleteOptions, _ ...string) error {
	if err := c.server.fault("delete", c.kind, name); err != nil {
		return err
	}
	before, after, err := c.delete(name, options)
	if err == nil {
		c.server.wrote(before, after)
	}
	return err
}

func (c *client) delete(name string, options metav1.DeleteOptions) (before, after *unstructured.Unstructured, err error) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	at := key(c.kind, c.namespace, name)
	before, found := c.server.objects[at]
	if !found {
		return nil, nil, notFound(c, name)
	}
	if only := options.Preconditions; only != nil && only.UID != nil && *only.UID != before.GetUID() {
		return nil, nil, c.conflict(name)
	}
	c.server.version++
	after = before.DeepCopy()
	now := metav1.NewTime(c.server.clock.Now())
	after.SetDeletionTimestamp(&now)
	after.SetResourceVersion(strconv.Itoa(c.server.version))
	c.server.objects[at] = after
	return before, after, nil
}

func (c *client) conflict(name string) error {
	return apierrors.NewConflict(c.resource.GroupResource(), name, errors.New("it has changed"))
}
