// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Finalizer is the name that the finalizer v1beta1.UncordonFinalizer has for clients of the former
// operators. It is never stored through their groups.
const Finalizer = "foregroundDeleteNodeMaintenance"

// MetadataFromHub returns the metadata with the finalizer under its old name.
func MetadataFromHub(metadata metav1.ObjectMeta) metav1.ObjectMeta {
	metadata.Finalizers = renamed(metadata.Finalizers, v1beta1.UncordonFinalizer, Finalizer)
	return metadata
}

// MetadataToHub returns the metadata with the finalizer under the name that is stored.
func MetadataToHub(metadata metav1.ObjectMeta) metav1.ObjectMeta {
	metadata.Finalizers = renamed(metadata.Finalizers, Finalizer, v1beta1.UncordonFinalizer)
	return metadata
}

// renamed returns the finalizers with one under another name, which the result has only once.
func renamed(finalizers []string, from, to string) []string {
	at := slices.Index(finalizers, from)
	if at < 0 {
		return finalizers
	}
	others := slices.Clone(finalizers)
	others[at] = to
	first := slices.Index(others, to)
	return append(others[:first+1], slices.DeleteFunc(others[first+1:], func(name string) bool {
		return name == from || name == to
	})...)
}
