// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// SpecToHub returns the spec of a hold of which a former version says only this. It has the defaults of
// maintenance.medik8s.io, which are what the former operators did.
func SpecToHub(nodeName, reason string) v1beta1.NodeMaintenanceSpec {
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{NodeName: nodeName, Reason: reason}}
	v1beta1.SetObjectDefaults_NodeMaintenance(hold)
	return hold.Spec
}
