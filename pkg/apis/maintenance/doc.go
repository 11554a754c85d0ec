// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenance has the internal types of the maintenance.medik8s.io API. Every
// served version is converted to and from them. The registry works with them.
//
// +k8s:deepcopy-gen=package
// +groupName=maintenance.medik8s.io
package maintenance
