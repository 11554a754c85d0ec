// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubevirtv1beta1 is the version nodemaintenance.kubevirt.io/v1beta1 of NodeMaintenance, which was the API of
// KubeVirt's node-maintenance-operator since its version 0.5.
//
// +k8s:openapi-gen=true
// +k8s:deepcopy-gen=package
// +k8s:openapi-model-package=io.kubevirt.nodemaintenance.v1beta1
// +groupName=nodemaintenance.kubevirt.io
package kubevirtv1beta1
