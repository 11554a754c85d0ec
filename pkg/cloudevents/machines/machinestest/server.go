// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machinestest simulates an API server that serves machines, for tests: with resource versions that conflict,
// UIDs that deletes are bound to, and objects that stay for a while when they are deleted.
package machinestest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"
)

// Server is the simulated API server. It is a dynamic.Interface, and a machines.Discovery. Use New.
type Server struct {
	clock clock.PassiveClock
	// Fault is asked before each request, if it is set. Its error is the answer then.
	Fault func(verb string, kind schema.GroupVersionKind, name string) error
	// Reading is called before each get and list, if it is set. It may change objects: what was read before is old then.
	Reading func()
	// Wrote is told of each write that was carried out, if it is set: the object before and after. Either is nil.
	Wrote func(before, after *unstructured.Unstructured)

	mu      sync.Mutex
	served  map[schema.GroupVersionResource]schema.GroupVersionKind
	order   []schema.GroupVersionResource
	objects map[string]*unstructured.Unstructured
	version int
}

// New returns a server that serves nothing.
func New(clock clock.PassiveClock) *Server {
	return &Server{
		clock: clock, objects: map[string]*unstructured.Unstructured{},
		served: map[schema.GroupVersionResource]schema.GroupVersionKind{},
	}
}

// Serve has the server serve kinds. The first version of a group is the preferred one.
func (s *Server) Serve(kinds ...schema.GroupVersionKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range kinds {
		resource := kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
		s.served[resource] = kind
		s.order = append(s.order, resource)
	}
}

// ServerGroupsWithContext is part of machines.Discovery.
func (s *Server) ServerGroupsWithContext(context.Context) (*metav1.APIGroupList, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &metav1.APIGroupList{}
	for _, resource := range s.order {
		version := metav1.GroupVersionForDiscovery{GroupVersion: resource.GroupVersion().String(), Version: resource.Version}
		at := slices.IndexFunc(list.Groups, func(group metav1.APIGroup) bool { return group.Name == resource.Group })
		switch {
		case at < 0:
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: resource.Group, PreferredVersion: version, Versions: []metav1.GroupVersionForDiscovery{version},
			})
		case !slices.Contains(list.Groups[at].Versions, version):
			list.Groups[at].Versions = append(list.Groups[at].Versions, version)
		}
	}
	return list, nil
}

// ServerResourcesForGroupVersionWithContext is part of machines.Discovery.
func (s *Server) ServerResourcesForGroupVersionWithContext(_ context.Context, version string) (*metav1.APIResourceList, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &metav1.APIResourceList{GroupVersion: version}
	for _, resource := range s.order {
		if resource.GroupVersion().String() == version {
			list.APIResources = append(list.APIResources,
				metav1.APIResource{Name: resource.Resource, Kind: s.served[resource].Kind, Namespaced: true},
				metav1.APIResource{Name: resource.Resource + "/status", Kind: s.served[resource].Kind, Namespaced: true})
		}
	}
	return list, nil
}

// Resource is part of dynamic.Interface.
func (s *Server) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return &client{server: s, kind: s.served[resource], resource: resource}
}

// Put creates or replaces an object, as nobody in particular, and returns it. It sets its UID, version and time.
func (s *Server) Put(object *unstructured.Unstructured) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	object = object.DeepCopy()
	s.version++
	if object.GetUID() == "" {
		object.SetUID(types.UID("uid-" + strconv.Itoa(s.version)))
	}
	if created := object.GetCreationTimestamp(); created.IsZero() {
		object.SetCreationTimestamp(metav1.NewTime(s.clock.Now()))
	}
	object.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[key(object.GroupVersionKind(), object.GetNamespace(), object.GetName())] = object
	return object.DeepCopy()
}

// Remove removes an object at once.
func (s *Server) Remove(object *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key(object.GroupVersionKind(), object.GetNamespace(), object.GetName()))
}

// All returns the objects of a kind, by name.
func (s *Server) All(kind string) (all []*unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range s.objects {
		if object.GetKind() == kind {
			all = append(all, object.DeepCopy())
		}
	}
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

func key(kind schema.GroupVersionKind, namespace, name string) string {
	return kind.Group + "/" + kind.Kind + "/" + namespace + "/" + name
}

func (s *Server) fault(verb string, kind schema.GroupVersionKind, name string) error {
	if s.Fault == nil {
		return nil
	}
	return s.Fault(verb, kind, name)
}

func (s *Server) reading() {
	if s.Reading != nil {
		s.Reading()
	}
}

func (s *Server) wrote(before, after *unstructured.Unstructured) {
	if s.Wrote != nil {
		s.Wrote(before, after)
	}
}

func notFound(c *client, name string) error {
	return apierrors.NewNotFound(c.resource.GroupResource(), name)
}
