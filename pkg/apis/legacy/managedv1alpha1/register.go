// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// GroupName is the API group that every type of this package belongs to.
	GroupName = "machinemaintenance.managed.openshift.io"
	// Kind is the kind of the objects.
	Kind = "MachineMaintenance"
	// Plural is the name of the resource in URLs and in RBAC rules.
	Plural = "machinemaintenances"
	// Singular is the name of one object in kubectl commands.
	Singular = "machinemaintenance"
)

// SchemeGroupVersion identifies this version of the group.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}

var (
	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds this version to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)

// addKnownTypes registers the types for the internal version, too: the generic API server works in that, and there is
// only this version.
func addKnownTypes(scheme *runtime.Scheme) error {
	internal := schema.GroupVersion{Group: GroupName, Version: runtime.APIVersionInternal}
	for _, version := range []schema.GroupVersion{SchemeGroupVersion, internal} {
		scheme.AddKnownTypes(version, &MachineMaintenance{}, &MachineMaintenanceList{})
	}
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

// Resource returns the group's resource of that name.
func Resource(name string) schema.GroupResource {
	return schema.GroupResource{Group: GroupName, Resource: name}
}
