// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// StoreName is the name of the one object of StoreKind.
const StoreName = "store"

// Identify returns the store's ID. If there is none yet, it writes one; the first of several writers wins.
func Identify(ctx context.Context, client dynamic.Interface) (string, error) {
	stores := client.Resource(StoreKind.GVR())
	store, err := stores.Get(ctx, StoreName, metav1.GetOptions{})
	if isMissingObject(err) {
		store, err = stores.Create(ctx, EncodeID(uuid.NewString()), metav1.CreateOptions{})
	}
	if apierrors.IsAlreadyExists(err) {
		store, err = stores.Get(ctx, StoreName, metav1.GetOptions{})
	}
	if err != nil {
		return "", err
	}
	return DecodeID(store)
}

// EncodeID returns the object that has the store's ID.
func EncodeID(id string) *unstructured.Unstructured {
	store := &unstructured.Unstructured{Object: map[string]any{"id": id}}
	store.SetGroupVersionKind(GroupVersion.WithKind(StoreKind.Name))
	store.SetName(StoreName)
	store.SetLabels(map[string]string{LabelNoBackup: "true"})
	return store
}

// DecodeID returns the ID that the object has.
func DecodeID(store *unstructured.Unstructured) (string, error) {
	id, _, err := unstructured.NestedString(store.Object, "id")
	if err != nil || id == "" {
		return "", fmt.Errorf("%s has no id; restore it from a backup", describe(store))
	}
	return id, nil
}
