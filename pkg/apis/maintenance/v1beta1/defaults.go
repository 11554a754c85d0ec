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

// SetDefaults_DrainSpec writes out what a drain does where its spec says nothing, so that
// the object shows it.
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
