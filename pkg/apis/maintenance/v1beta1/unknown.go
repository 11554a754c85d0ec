// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// UnknownFields are the fields of a stored object that this version of the server does not know. The codec of
// the store sets them when it reads the object, and writes them back with it. Whoever replaces the object has
// to carry them over. Their form is the codec's own. Empty: there are none.
type UnknownFields string

// Stored is an object that the store has.
type Stored interface {
	runtime.Object
	metav1.Object
	// UnknownFields returns where the object has its unknown fields.
	UnknownFields() *UnknownFields
}

// UnknownFields implements Stored.
func (in *NodeMaintenance) UnknownFields() *UnknownFields { return &in.Unknown }

// UnknownFields implements Stored.
func (in *MaintenancePolicy) UnknownFields() *UnknownFields { return &in.Unknown }

// UnknownFields implements Stored.
func (in *MaintenanceLedger) UnknownFields() *UnknownFields { return &in.Unknown }

// UnknownFields implements Stored.
func (in *MaintenanceProfile) UnknownFields() *UnknownFields { return &in.Unknown }

// UnknownFields implements Stored.
func (in *MaintenanceEndpoint) UnknownFields() *UnknownFields { return &in.Unknown }

// UnknownFields implements Stored.
func (in *NodeProfile) UnknownFields() *UnknownFields { return &in.Unknown }

// UnknownFields implements Stored.
func (in *ScheduledEvent) UnknownFields() *UnknownFields { return &in.Unknown }
