// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package medik8sv1beta1 is the version nodemaintenance.medik8s.io/v1beta1 of NodeMaintenance, which was the API of
// the medik8s node-maintenance-operator.
//
// +k8s:openapi-gen=true
// +k8s:deepcopy-gen=package
// +k8s:openapi-model-package=io.medik8s.nodemaintenance.v1beta1
// +groupName=nodemaintenance.medik8s.io
package medik8sv1beta1
