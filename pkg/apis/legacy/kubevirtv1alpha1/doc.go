// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubevirtv1alpha1 is the version kubevirt.io/v1alpha1 of NodeMaintenance, which was the API of
// KubeVirt's node-maintenance-operator before its version 0.5.
//
// +k8s:openapi-gen=true
// +k8s:deepcopy-gen=package
// +k8s:openapi-model-package=io.kubevirt.v1alpha1
// +groupName=kubevirt.io
package kubevirtv1alpha1
