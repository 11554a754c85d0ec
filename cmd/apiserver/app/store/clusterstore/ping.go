// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// Ping asks for the store's object, to see whether the cluster answers. The error says, for an admin to read, why the
// cluster cannot be used.
func Ping(ctx context.Context, client dynamic.Interface) error {
	_, err := client.Resource(StoreKind.GVR()).Get(ctx, StoreName, metav1.GetOptions{})
	switch {
	case err == nil:
		return nil
	case isMissingObject(err):
		return fmt.Errorf("the object with the store's ID is gone; restore it from a backup: %w", err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("the cluster does not serve %s; install its CRD: %w", StoreKind, err)
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return fmt.Errorf("the cluster does not let the server use its store: %w", err)
	case apierrors.IsTooManyRequests(err):
		return fmt.Errorf("the cluster that stores the objects has too much to do: %w", err)
	default:
		return fmt.Errorf("the cluster that stores the objects does not answer: %w", err)
	}
}
