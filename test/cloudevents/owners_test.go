// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func (p *pool) objects(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	return p.Cluster.Dynamic().Resource(resource).Namespace(p.Name)
}

// strict creates objects alone whose definition has all of their fields.
var strict = metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}

// addMachine adds a machine to the pool's namespace that is a node already, with an ID at its cloud.
func (p *pool) addMachine(t *testing.T, of family, name, node, id string, owner *unstructured.Unstructured) {
	t.Helper()
	p.ensureNamespace(t)
	p.provide(t, node, id)
	machine := of.api.Machine(name, owner)
	if err := unstructured.SetNestedField(machine.Object, providerID(id), "spec", "providerID"); err != nil {
		t.Fatal(err)
	}
	created, err := p.objects(of.machines).Create(t.Context(), machine, strict)
	if err != nil {
		t.Fatalf("could not create machine %s: %v", name, err)
	}
	created.Object["status"] = of.api.Running(node, "")
	if _, err := p.objects(of.machines).UpdateStatus(t.Context(), created, metav1.UpdateOptions{}); err != nil {
		t.Fatalf("could not write the status of machine %s: %v", name, err)
	}
}

// mostReplicas counts until the test's end how many replicas an owner had at most.
func (c *crew) mostReplicas(t *testing.T) (most func() int64) {
	t.Helper()
	changes, err := c.objects(c.resource).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + c.name})
	if err != nil {
		t.Fatal(err)
	}
	counted := make(chan int64, 1)
	go func() {
		most := int64(0)
		for change := range changes.ResultChan() {
			if owner, is := change.Object.(*unstructured.Unstructured); is {
				count, _, _ := unstructured.NestedInt64(owner.Object, "spec", "replicas")
				most = max(most, count)
			}
		}
		counted <- most
	}()
	return func() int64 {
		changes.Stop()
		return <-counted
	}
}

// retire is the end of a machine, whose node is known by name.
func retire(node string) v1beta1.ScheduledEventSpec {
	return v1beta1.ScheduledEventSpec{Source: "tickets", Code: v1beta1.CodeInstanceRetirement, NodeName: node, NotBefore: inFuture(48 * time.Hour)}
}
