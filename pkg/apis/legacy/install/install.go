// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install adds the API groups of the former operators to a scheme.
package install

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/kubevirtv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/kubevirtv1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/medik8sv1beta1"
)

// GroupVersions are the versions of NodeMaintenance of the former operators, one of each group.
func GroupVersions() []schema.GroupVersion {
	return []schema.GroupVersion{
		medik8sv1beta1.SchemeGroupVersion, kubevirtv1beta1.SchemeGroupVersion, kubevirtv1alpha1.SchemeGroupVersion,
	}
}

// AllGroupVersions are the versions of all kinds of the former operators, one of each group: those of NodeMaintenance, and
// MachineMaintenance.
func AllGroupVersions() []schema.GroupVersion {
	return append(GroupVersions(), managedv1alpha1.SchemeGroupVersion)
}

// Install registers the types of the former operators and their conversions. The scheme must have the
// types of maintenance.medik8s.io already: the first group of a type is the one that it is stored in. It
// panics if two registrations contradict each other.
func Install(scheme *runtime.Scheme) {
	utilruntime.Must(medik8sv1beta1.AddToScheme(scheme))
	utilruntime.Must(kubevirtv1beta1.AddToScheme(scheme))
	utilruntime.Must(kubevirtv1alpha1.AddToScheme(scheme))
	utilruntime.Must(managedv1alpha1.AddToScheme(scheme))
	for _, version := range AllGroupVersions() {
		utilruntime.Must(scheme.SetVersionPriority(version))
	}
}
