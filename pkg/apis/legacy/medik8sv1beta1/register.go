// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package medik8sv1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
)

// GroupName is the API group that every type of this package belongs to.
const GroupName = "nodemaintenance.medik8s.io"

// SchemeGroupVersion identifies this version of the group.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1beta1"}

var (
	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes, legacy.AddHub(GroupName), addConversions,
		legacy.AddFieldLabels(SchemeGroupVersion))

	// AddToScheme adds this version to a scheme. The scheme must have the types of
	// maintenance.medik8s.io already.
	AddToScheme = schemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &NodeMaintenance{}, &NodeMaintenanceList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
