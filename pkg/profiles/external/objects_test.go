// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

var (
	hypervisors = schema.GroupVersionResource{Group: "kvm.cloud.sap", Version: "v1", Resource: "hypervisors"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// manyResources are more than may be watched.
const manyResources = v1beta1.MaxWatchedResources + 2

func listKinds() map[schema.GroupVersionResource]string {
	kinds := map[schema.GroupVersionResource]string{hypervisors: "HypervisorList", deployments: "DeploymentList"}
	for i := range manyResources {
		kinds[numbered(i)] = fmt.Sprintf("Kind%dList", i)
	}
	return kinds
}

func numbered(i int) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.org", Version: "v1", Resource: fmt.Sprintf("kind%ds", i)}
}

// hypervisor is as an operator of KVM writes it.
func hypervisor(name string, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kvm.cloud.sap/v1", "kind": "Hypervisor", "metadata": map[string]any{"name": name}, "status": status,
	}}
}

func deployment(namespace, name string, ready int64, labels ...string) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"namespace": namespace, "name": name},
		"status": map[string]any{"readyReplicas": ready},
	}}
	made.SetLabels(map[string]string{})
	for _, label := range labels {
		made.SetLabels(map[string]string{"app": label})
	}
	made.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
	return made
}

// hypervisorCheck asks about the hypervisor of the name of the node.
func hypervisorCheck(expression string) v1beta1.ProfileCheck {
	return v1beta1.ProfileCheck{Object: &v1beta1.ObjectCheck{
		APIVersion: "kvm.cloud.sap/v1", Resource: "hypervisors", NameExpression: "node.metadata.name", Expression: expression,
	}}
}

// deploymentsCheck asks about the deployments with the label app=app; "": all of them.
func deploymentsCheck(namespace, app, expression string) v1beta1.ProfileCheck {
	selector := &metav1.LabelSelector{}
	if app != "" {
		selector.MatchLabels = map[string]string{"app": app}
	}
	return v1beta1.ProfileCheck{Object: &v1beta1.ObjectCheck{
		APIVersion: "apps/v1", Resource: "deployments", Namespace: namespace, Selector: selector, Expression: expression,
	}}
}

// create adds objects to the cluster.
func (w *world) create(of schema.GroupVersionResource, objects ...*unstructured.Unstructured) {
	w.Helper()
	for _, object := range objects {
		kind := w.objects.Resource(of).Namespace(object.GetNamespace())
		if _, err := kind.Create(w.Context(), object, metav1.CreateOptions{}); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) update(of schema.GroupVersionResource, object *unstructured.Unstructured) {
	w.Helper()
	kind := w.objects.Resource(of).Namespace(object.GetNamespace())
	if _, err := kind.Update(w.Context(), object, metav1.UpdateOptions{}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(of schema.GroupVersionResource, namespace, name string) {
	w.Helper()
	if err := w.objects.Resource(of).Namespace(namespace).Delete(w.Context(), name, metav1.DeleteOptions{}); err != nil {
		w.Fatal(err)
	}
}

// refuse has lists and watches of a resource fail until allow is called.
func (w *world) refuse(of schema.GroupVersionResource, err error) (allow func()) {
	var allowed atomic.Bool
	w.objects.PrependReactor("list", of.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return !allowed.Load(), nil, err
	})
	w.objects.PrependWatchReactor(of.Resource, func(clienttesting.Action) (bool, watch.Interface, error) {
		return !allowed.Load(), nil, err
	})
	return func() { allowed.Store(true) }
}

// asked returns what was listed and watched since the last time.
func (w *world) asked() (asked []string) {
	for _, action := range w.objects.Actions() {
		if verb := action.GetVerb(); verb == "list" || verb == "watch" {
			asked = append(asked, strings.TrimSuffix(verb+" "+action.GetResource().Resource+" "+action.GetNamespace(), " "))
		}
	}
	w.objects.ClearActions()
	return asked
}

func isForbidden() error {
	return apierrors.NewForbidden(hypervisors.GroupResource(), "", nil)
}

func isAbsent() error {
	return apierrors.NewGenericServerResponse(404, "list", hypervisors.GroupResource(), "", "", 0, true)
}

func TestBareTwice(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a", "managedFields": []any{map[string]any{"manager": "m"}}}}}
	drainertest.TransformTwice(t, bare, object)
}
