// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ErrNotServed means that the cluster serves neither OpenShift's Machine API nor Cluster API, or not the kind that is
// asked for.
var ErrNotServed = errors.New("the cluster does not serve the machine API")

// ErrNoMachine means that there is no such machine, or that no machine says that it is the node.
var ErrNoMachine = errors.New("no machine")

// ErrChanged means that the machines have changed since they were looked at. Look again.
var ErrChanged = errors.New("the machines have changed meanwhile")

// Discovery says which APIs are served. A client for discovery is one.
type Discovery interface {
	// ServerGroupsWithContext returns all groups.
	ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error)
	// ServerResourcesForGroupVersionWithContext returns the resources of a version of a group.
	ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error)
}

// Client reads and writes machines. Use New.
type Client struct {
	objects   dynamic.Interface
	discovery Discovery
	clock     clock.PassiveClock

	mu sync.Mutex
	// served are the answers of discovery that are still fresh, by group.
	served map[string]servedGroup
}

// New returns a client. It asks nothing until it is used.
func New(objects dynamic.Interface, discovery Discovery, clock clock.PassiveClock) *Client {
	return &Client{objects: objects, discovery: discovery, clock: clock, served: map[string]servedGroup{}}
}

// get reads an object, and returns nil if it does not exist any more. Another object of its name is not it; an empty UID
// is any.
func (c *Client) get(ctx context.Context, of v1beta1.ReplacedObject) (*unstructured.Unstructured, error) {
	resource, err := c.resource(ctx, of.APIGroup, of.Kind, of.Namespace)
	if err != nil {
		return nil, err
	}
	object, err := resource.Get(ctx, of.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(fmt.Sprintf("read %s %s/%s", of.Kind, of.Namespace, of.Name), err)
	}
	if of.UID != "" && object.GetUID() != of.UID {
		return nil, nil
	}
	return object, nil
}

// list reads all objects of a kind in a namespace; in all if that is empty.
func (c *Client) list(ctx context.Context, group, kind, namespace string) ([]unstructured.Unstructured, error) {
	resource, err := c.resource(ctx, group, kind, namespace)
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, explain(fmt.Sprintf("list each %s of %s", kind, group), err)
	}
	return list.Items, nil
}

// update writes an object as it was read and changed. A conflict stays one.
func (c *Client) update(ctx context.Context, object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	resource, err := c.resource(ctx, kind.Group, kind.Kind, object.GetNamespace())
	if err != nil {
		return err
	}
	if _, err := resource.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
		return explain(fmt.Sprintf("change %s %s/%s", kind.Kind, object.GetNamespace(), object.GetName()), err)
	}
	return nil
}

// explain says what was to be done, and what would help if the right to do it is missing.
func explain(what string, err error) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("could not %s; give the server the rights for the machine API, or start it with --machine-api=none: %w", what, err)
	}
	return fmt.Errorf("could not %s: %w", what, err)
}

// reference names an object that was read.
func reference(object *unstructured.Unstructured) v1beta1.ReplacedObject {
	kind := object.GroupVersionKind()
	return v1beta1.ReplacedObject{
		APIGroup: kind.Group, Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(),
	}
}
