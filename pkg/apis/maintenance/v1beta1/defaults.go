// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "k8s.io/apimachinery/pkg/runtime"

func addDefaultingFuncs(scheme *runtime.Scheme) error {
	return RegisterDefaults(scheme)
}

// SetDefaults_NodeMaintenanceSpec fills in the stage: a maintenance that says
// nothing else drains its node. The name's form is what defaulter-gen looks for.
func SetDefaults_NodeMaintenanceSpec(spec *NodeMaintenanceSpec) {
	if spec.Stage == "" {
		spec.Stage = StageDrain
	}
}
