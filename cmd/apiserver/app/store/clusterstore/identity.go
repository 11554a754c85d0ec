// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// StoreName is the name of the object of StoreKind that has the store's ID.
const StoreName = "store"

// CopyOfName is the name of the object of StoreKind that has the ID of another store, while that is being copied into
// this one.
const CopyOfName = "copy-of"

// ErrIncomplete is the reason why a store with objects, but without an ID, is not used: a server that knew only some of the holds
// would give nodes of the others back.
var ErrIncomplete = errors.New("it has objects and no ID of a store, so it is only a part of a store: if migrate-store did not end, " +
	"run it again; if this is a backup that was restored, restore the ID too")

// Identify returns the store's ID. If the store is empty, it writes one; the first of several writers wins.
func Identify(ctx context.Context, client dynamic.Interface) (string, error) {
	store, err := getStore(ctx, client)
	if isMissingObject(err) {
		store, err = identifyNew(ctx, client)
	}
	if err != nil {
		return "", err
	}
	return DecodeID(store)
}

// identifyNew writes an ID into an empty store. What is not empty has one by now, or is incomplete.
func identifyNew(ctx context.Context, client dynamic.Interface) (*unstructured.Unstructured, error) {
	empty, err := isEmpty(ctx, client)
	if err != nil {
		return nil, err
	}
	if empty {
		store, err := client.Resource(StoreKind.GVR()).Create(ctx, EncodeID(StoreName, uuid.NewString()), metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			return store, err
		}
	}
	store, err := getStore(ctx, client)
	if isMissingObject(err) {
		return nil, ErrIncomplete
	}
	return store, err
}

func getStore(ctx context.Context, client dynamic.Interface) (*unstructured.Unstructured, error) {
	return client.Resource(StoreKind.GVR()).Get(ctx, StoreName, metav1.GetOptions{})
}

// isEmpty says whether there are no envelopes, and no copy into this store has begun.
func isEmpty(ctx context.Context, client dynamic.Interface) (bool, error) {
	if _, err := client.Resource(StoreKind.GVR()).Get(ctx, CopyOfName, metav1.GetOptions{}); !isMissingObject(err) {
		return false, err
	}
	for _, kind := range kinds {
		list, err := client.Resource(kind.GVR()).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil || len(list.Items) > 0 {
			return false, err
		}
	}
	return true, nil
}

// EncodeID returns the object with that name that has the ID of a store.
func EncodeID(name, id string) *unstructured.Unstructured {
	store := &unstructured.Unstructured{Object: map[string]any{"id": id}}
	store.SetGroupVersionKind(GroupVersion.WithKind(StoreKind.Name))
	store.SetName(name)
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
