// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "k8s.io/apimachinery/pkg/runtime"

func addDefaultingFuncs(scheme *runtime.Scheme) error {
	return RegisterDefaults(scheme)
}

// SetDefaults_NodeMaintenanceSpec sets the stage to Drain if it is empty. defaulter-gen
// finds the function by its name.
func SetDefaults_NodeMaintenanceSpec(spec *NodeMaintenanceSpec) {
	if spec.Stage == "" {
		spec.Stage = StageDrain
	}
}

// SetDefaults_DrainSpec sets the fields that are empty, so that the object shows what the
// drain does.
func SetDefaults_DrainSpec(drain *DrainSpec) {
	if drain.OnTimeout == "" {
		drain.OnTimeout = OnTimeoutReport
	}
	if drain.UnmanagedPods == "" {
		drain.UnmanagedPods = PolicyEvict
	}
	if drain.EmptyDirPods == "" {
		drain.EmptyDirPods = PolicyEvict
	}
}
