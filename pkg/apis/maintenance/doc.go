// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenance holds the internal types of the maintenance.medik8s.io
// API: the hub that every served version converts to and from, and the form
// in which the registry and its strategies see objects.
//
// +k8s:deepcopy-gen=package
// +groupName=maintenance.medik8s.io
package maintenance
