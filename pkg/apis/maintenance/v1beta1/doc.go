// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1beta1 is the served version of the maintenance.medik8s.io API. In the server, its types are the internal version
// too: there is no other one to convert between.
//
// +k8s:openapi-gen=true
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-model-package=io.medik8s.maintenance.v1beta1
// +groupName=maintenance.medik8s.io
package v1beta1
