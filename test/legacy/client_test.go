// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"encoding/json"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// nodeMaintenance is the operators' kind, as their clients know it. Fields that one of the operators does
// not have stay empty.
type nodeMaintenance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              spec   `json:"spec,omitempty"`
	Status            status `json:"status,omitempty"`
}

type spec struct {
	NodeName string `json:"nodeName"`
	Reason   string `json:"reason,omitempty"`
}

type status struct {
	Phase             string       `json:"phase,omitempty"`
	DrainProgress     int          `json:"drainProgress,omitempty"`
	LastUpdate        *metav1.Time `json:"lastUpdate,omitempty"`
	LastError         string       `json:"lastError,omitempty"`
	PendingPods       []string     `json:"pendingPods,omitempty"`
	PendingPodsRefs   []podRef     `json:"pendingPodsRefs,omitempty"`
	TotalPods         int          `json:"totalpods,omitempty"`
	EvictionPods      int          `json:"evictionPods,omitempty"`
	ErrorOnLeaseCount int          `json:"errorOnLeaseCount,omitempty"`
}

type podRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

type nodeMaintenanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []nodeMaintenance `json:"items"`
}

// DeepCopyObject makes it an object for client-go.
func (nm *nodeMaintenance) DeepCopyObject() runtime.Object { return copied(nm) }

// DeepCopyObject makes it an object for client-go.
func (list *nodeMaintenanceList) DeepCopyObject() runtime.Object { return copied(list) }

func copied[T any](original *T) *T {
	data, err := json.Marshal(original)
	if err != nil {
		panic(err)
	}
	result := new(T)
	if err := json.Unmarshal(data, result); err != nil {
		panic(err)
	}
	return result
}

// client does what the clients do that were generated for the operators' types.
type client struct{ rest rest.Interface }

const plural = "nodemaintenances"

func newClient(t *testing.T, g group, config *rest.Config) *client {
	t.Helper()
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(g.WithKind("NodeMaintenance"), &nodeMaintenance{})
	scheme.AddKnownTypeWithName(g.WithKind("NodeMaintenanceList"), &nodeMaintenanceList{})
	metav1.AddToGroupVersion(scheme, g.GroupVersion)
	config.GroupVersion, config.APIPath = &g.GroupVersion, "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := newRESTClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newRESTClient(config *rest.Config) (*client, error) {
	restClient, err := rest.RESTClientFor(config)
	return &client{rest: restClient}, err
}

func (c *client) create(ctx context.Context, nm *nodeMaintenance) (*nodeMaintenance, error) {
	created := &nodeMaintenance{}
	return created, c.rest.Post().Resource(plural).Body(nm).Do(ctx).Into(created)
}

func (c *client) get(ctx context.Context, name string) (*nodeMaintenance, error) {
	found := &nodeMaintenance{}
	return found, c.rest.Get().Resource(plural).Name(name).Do(ctx).Into(found)
}

func (c *client) list(ctx context.Context) (*nodeMaintenanceList, error) {
	list := &nodeMaintenanceList{}
	return list, c.rest.Get().Resource(plural).Do(ctx).Into(list)
}

func (c *client) watch(ctx context.Context, resourceVersion string) (watch.Interface, error) {
	return c.rest.Get().Resource(plural).Param("watch", "true").Param("resourceVersion", resourceVersion).Watch(ctx)
}

func (c *client) update(ctx context.Context, nm *nodeMaintenance, subresource ...string) (*nodeMaintenance, error) {
	updated := &nodeMaintenance{}
	return updated, c.rest.Put().Resource(plural).Name(nm.Name).SubResource(subresource...).Body(nm).Do(ctx).Into(updated)
}

func (c *client) patch(ctx context.Context, name, patch string) (*nodeMaintenance, error) {
	patched := &nodeMaintenance{}
	return patched, c.rest.Patch(types.MergePatchType).Resource(plural).Name(name).Body([]byte(patch)).Do(ctx).Into(patched)
}

func (c *client) remove(ctx context.Context, name string) error {
	return c.rest.Delete().Resource(plural).Name(name).Do(ctx).Error()
}

// forget removes what a test has left behind. The test's context has ended by then.
func (c *client) forget(t *testing.T, name string) {
	t.Helper()
	if err := c.remove(context.Background(), name); err != nil && !apierrors.IsNotFound(err) {
		t.Errorf("could not clean up: %v", err)
	}
}

// waitFor waits until check finds nothing wrong with a NodeMaintenance any more, and returns it.
func (c *client) waitFor(t *testing.T, name, what string, check func(nm *nodeMaintenance) bool) *nodeMaintenance {
	t.Helper()
	var last *nodeMaintenance
	env.Eventually(t, what, func(ctx context.Context) string {
		nm, err := c.get(ctx, name)
		if err != nil {
			return err.Error()
		}
		if last = nm; check(nm) {
			return ""
		}
		wrong, _ := json.Marshal(nm.Status)
		return string(wrong)
	})
	return last
}

func succeeded(nm *nodeMaintenance) bool { return nm.Status.Phase == "Succeeded" }
