// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profileimport

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// object is a kind of object that is applied.
type object[T any] interface {
	*T
	runtime.Object
	metav1.Object
	DeepCopy() *T
}

// client reads and writes objects of a kind.
type client[T any] interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*T, error)
	Create(ctx context.Context, object *T, options metav1.CreateOptions) (*T, error)
	Update(ctx context.Context, object *T, options metav1.UpdateOptions) (*T, error)
}

// put creates an object, or changes the stored one to it, and says which. A change that somebody else makes at the same
// time is not lost.
func put[T any, P object[T]](ctx context.Context, c client[T], wanted P, change func(stored, wanted *T)) (did string, err error) {
	stored, err := c.Get(ctx, wanted.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = c.Create(ctx, wanted, metav1.CreateOptions{})
		return "created", err
	}
	if err != nil {
		return "", err
	}
	before := P(stored).DeepCopy()
	change(stored, wanted)
	if apiequality.Semantic.DeepEqual(before, stored) {
		return "unchanged", nil
	}
	_, err = c.Update(ctx, stored, metav1.UpdateOptions{})
	return "changed", err
}
