// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package managedv1alpha1 is the version machinemaintenance.managed.openshift.io/v1alpha1 of MachineMaintenance, which was
// the API of OpenShift's machine-maintenance-operator. What it shows are ScheduledEvents of maintenance.medik8s.io.
//
// +k8s:openapi-gen=true
// +k8s:deepcopy-gen=package
// +k8s:openapi-model-package=io.openshift.managed.machinemaintenance.v1alpha1
// +groupName=machinemaintenance.managed.openshift.io
package managedv1alpha1
