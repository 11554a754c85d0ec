// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// NodeName is the node of builders that name none.
	NodeName = "worker-1"
	// Namespace is the namespace of builders that name none.
	Namespace = "default"
	// App is the value of the label app of pods and budgets that name none.
	App = "web"
	// StoreID is the store of the engine under test.
	StoreID = "store-1"
)

// Epoch is a moment for tests that need no other.
var Epoch = time.Unix(1_000_000, 0)

// UID is the UID that builders give an object of that name.
func UID(name string) types.UID { return types.UID("uid-" + name) }

// AppSelector selects what has that value of the label app.
func AppSelector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// changed is the object after one more change, if there is one.
func changed[T any](object T, change func(T)) T {
	if change != nil {
		change(object)
	}
	return object
}

// Objects are what builders build.
func Objects[B interface{ Object() T }, T any](builders []B) []T {
	objects := make([]T, 0, len(builders))
	for _, builder := range builders {
		objects = append(objects, builder.Object())
	}
	return objects
}
