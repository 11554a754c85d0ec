// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
)

// fieldManager owns the fields that this package applies.
const fieldManager = "localcluster"

// Workload is a set of objects in one namespace that are applied and waited for
// together. Its methods add to it and return it.
type Workload struct {
	cluster   *Cluster
	namespace string
	objects   []object
}

// object is any typed object with metadata.
type object interface {
	runtime.Object
	metav1.Object
}

// Workload returns an empty workload in a namespace, which Apply creates.
func (c *Cluster) Workload(namespace string) *Workload {
	return &Workload{cluster: c, namespace: namespace}
}

// Namespace returns the namespace that the workload lives in.
func (w *Workload) Namespace() string { return w.namespace }

// Run applies workloads, waits until they are ready, and reports each as a step.
func (c *Cluster) Run(ctx context.Context, workloads ...*Workload) error {
	for _, w := range workloads {
		err := c.step("workload "+w.namespace, func() (string, error) {
			if err := w.Apply(ctx); err != nil {
				return "", err
			}
			return fmt.Sprintf("%d objects ready", len(w.objects)), w.WaitReady(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Apply creates or updates the workload's objects, and replaces Jobs that do not run any more.
// It does not wait for their pods.
func (w *Workload) Apply(ctx context.Context) error {
	if err := w.ensureNamespace(ctx); err != nil {
		return err
	}
	for _, object := range w.objects {
		if err := w.prepare(ctx, object); err != nil {
			return err
		}
		content, err := toUnstructured(object)
		if err != nil {
			return err
		}
		if err := w.cluster.apply(ctx, content); err != nil {
			return err
		}
	}
	return nil
}

// prepare does what an object needs before it can be applied.
func (w *Workload) prepare(ctx context.Context, object object) error {
	switch o := object.(type) {
	case *corev1.Pod:
		return w.setMirrorOwner(ctx, o)
	case *batchv1.Job:
		return w.dropStaleJob(ctx, o)
	default:
		return nil
	}
}

// ensureNamespace also waits for the default ServiceAccount, without which no pod can be
// created in a new namespace.
func (w *Workload) ensureNamespace(ctx context.Context) error {
	core := w.cluster.client.CoreV1()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	_, err := core.Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("could not create namespace %s: %w", w.namespace, err)
	}
	err = wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := core.ServiceAccounts(w.namespace).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("could not wait for namespace %s to be usable: %w", w.namespace, err)
	}
	return nil
}

// setMirrorOwner makes a mirror pod's node its owner, as a kubelet does.
func (w *Workload) setMirrorOwner(ctx context.Context, pod *corev1.Pod) error {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; !mirror {
		return nil
	}
	node, err := w.cluster.client.CoreV1().Nodes().Get(ctx, pod.Spec.NodeName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("could not get node of mirror pod %s: %w", pod.Name, err)
	}
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(node, corev1.SchemeGroupVersion.WithKind("Node"))}
	return nil
}

// Delete deletes the workload's objects, waits until no pod is left in the namespace, and
// deletes the namespace without waiting. Do not use the name of the namespace again, since
// its deletion takes time. If a pod has a finalizer, Delete waits until the finalizer is
// removed.
func (w *Workload) Delete(ctx context.Context) error {
	for _, object := range w.objects {
		if err := w.deleteObject(ctx, object); err != nil {
			return err
		}
	}
	core := w.cluster.client.CoreV1()
	err := wait.PollUntilContextCancel(ctx, readyInterval, true, func(ctx context.Context) (bool, error) {
		pods, err := core.Pods(w.namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(pods.Items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("could not wait for pods in namespace %s to be gone: %w", w.namespace, err)
	}
	if err := core.Namespaces().Delete(ctx, w.namespace, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not delete namespace %s: %w", w.namespace, err)
	}
	return nil
}

func (w *Workload) deleteObject(ctx context.Context, object object) error {
	content, err := toUnstructured(object)
	if err != nil {
		return err
	}
	resources, err := w.cluster.resources(content)
	if err != nil {
		return err
	}
	// Foreground, so that no pod is recreated once none is left.
	options := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)}
	if err := resources.Delete(ctx, object.GetName(), options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not delete %s %s: %w", content.GetKind(), object.GetName(), err)
	}
	return nil
}

// toUnstructured removes the fields that a typed object has although nobody has set them.
func toUnstructured(object object) (*unstructured.Unstructured, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		return nil, fmt.Errorf("could not find the kind of %s: %w", object.GetName(), err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("could not convert %s %s: %w", kinds[0].Kind, object.GetName(), err)
	}
	delete(content, "status")
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kinds[0])
	return u, nil
}
