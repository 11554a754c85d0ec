// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// requestTimeout bounds one request, so that one that gets no answer does not keep others waiting.
const requestTimeout = 10 * time.Second

// rights says what helps when the server may not use leases.
const rights = "the server needs the rights that the chart's value nodeLeases.form gives"

// client makes the requests about leases. Each names the version that it was worked out from, so it ends in a
// conflict when somebody else was faster.
type client struct {
	kube      kubernetes.Interface
	namespace string
}

// get returns the lease as it is now; nil when there is none.
func (c client) get(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	lease, err := c.kube.CoordinationV1().Leases(c.namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.problem("get", name, err)
	}
	return lease, nil
}

// write creates the lease, or replaces the version that it was made from.
func (c client) write(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if lease.ResourceVersion == "" {
		return c.create(ctx, lease)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	written, err := c.kube.CoordinationV1().Leases(c.namespace).Update(ctx, lease, metav1.UpdateOptions{})
	if err != nil {
		return nil, c.problem("update", lease.Name, err)
	}
	return written, nil
}

// create creates the lease, and its namespace if that is missing.
func (c client) create(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	lease.Namespace = c.namespace
	created, err := c.kube.CoordinationV1().Leases(c.namespace).Create(ctx, lease, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) {
		if err := c.createNamespace(ctx); err != nil {
			return nil, err
		}
		created, err = c.kube.CoordinationV1().Leases(c.namespace).Create(ctx, lease, metav1.CreateOptions{})
	}
	if err != nil {
		return nil, c.problem("create", lease.Name, err)
	}
	return created, nil
}

func (c client) createNamespace(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}}
	_, err := c.kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("could not create namespace %s, in which the leases of nodes are to be: set the chart's value nodeLeases.form, which creates it: %w",
			c.namespace, err)
	}
	return nil
}

// remove deletes that version of the lease.
func (c client) remove(ctx context.Context, lease *coordinationv1.Lease) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := c.kube.CoordinationV1().Leases(c.namespace).Delete(ctx, lease.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return c.problem("delete", lease.Name, err)
	}
	return nil
}

// problem says what could not be done. That a lease or its namespace is not there is not to be taken for a cache
// that lags, so that is not the error's cause.
func (c client) problem(verb, name string, err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("could not %s lease %s/%s: %s", verb, c.namespace, name, err.Error())
	case apierrors.IsForbidden(err):
		return fmt.Errorf("could not %s lease %s/%s: %w; %s", verb, c.namespace, name, err, rights)
	default:
		return fmt.Errorf("could not %s lease %s/%s: %w", verb, c.namespace, name, err)
	}
}

// outrun says whether a write failed because somebody else was faster.
func outrun(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)
}
