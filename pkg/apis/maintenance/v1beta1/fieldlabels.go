// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// FieldState selects the nodes in one state: kubectl get nodes.maintenance.medik8s.io
// --field-selector status.state=Drained. The other field is metadata.name.
const FieldState = "status.state"

// FieldProfile selects the NodeProfiles of one profile: kubectl get nprof --field-selector spec.profile=flatcar. The
// other fields are metadata.name, FieldNodeName and FieldState.
const FieldProfile = "spec.profile"

// The fields that a field selector for NodeMaintenances can have, besides metadata.name:
// kubectl get nm --field-selector spec.nodeName=worker-3.
const (
	// FieldNodeName selects the holds on one node.
	FieldNodeName = "spec.nodeName"
	// FieldRequestor selects the holds of one requestor.
	FieldRequestor = "spec.requestor"
	// FieldPhase selects the holds in one phase.
	FieldPhase = "status.phase"
)

// The fields that a field selector for ScheduledEvents can have, besides metadata.name, FieldNodeName and FieldPhase:
// kubectl get sev --field-selector spec.instanceID=i-0abcd1234.
const (
	// FieldSource selects the events of one source.
	FieldSource = "spec.source"
	// FieldInstanceID selects the events of one machine at the cloud.
	FieldInstanceID = "spec.instanceID"
	// FieldEventNode selects the events of the node that the server has found.
	FieldEventNode = "status.nodeName"
)

func addFieldLabelConversions(scheme *runtime.Scheme) error {
	return errors.Join(
		scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("NodeMaintenance"), nodeMaintenanceFieldLabel),
		scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("NodeState"), nodeStateFieldLabel),
		scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("NodeProfile"), nodeProfileFieldLabel),
		scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("ScheduledEvent"), scheduledEventFieldLabel))
}

func scheduledEventFieldLabel(label, value string) (internalLabel, internalValue string, err error) {
	switch label {
	case "metadata.name", FieldNodeName, FieldSource, FieldInstanceID, FieldPhase, FieldEventNode:
		return label, value, nil
	default:
		return "", "", fmt.Errorf("field label %q is not supported: use metadata.name, %s, %s, %s, %s or %s",
			label, FieldNodeName, FieldSource, FieldInstanceID, FieldPhase, FieldEventNode)
	}
}

func nodeProfileFieldLabel(label, value string) (internalLabel, internalValue string, err error) {
	switch label {
	case "metadata.name", FieldNodeName, FieldProfile, FieldState:
		return label, value, nil
	default:
		return "", "", fmt.Errorf("field label %q is not supported: use metadata.name, %s, %s or %s",
			label, FieldNodeName, FieldProfile, FieldState)
	}
}

func nodeStateFieldLabel(label, value string) (internalLabel, internalValue string, err error) {
	switch label {
	case "metadata.name", FieldState:
		return label, value, nil
	default:
		return "", "", fmt.Errorf("field label %q is not supported: use metadata.name or %s", label, FieldState)
	}
}

func nodeMaintenanceFieldLabel(label, value string) (internalLabel, internalValue string, err error) {
	switch label {
	case "metadata.name", FieldNodeName, FieldRequestor, FieldPhase:
		return label, value, nil
	default:
		return "", "", fmt.Errorf("field label %q is not supported: use metadata.name, %s, %s or %s",
			label, FieldNodeName, FieldRequestor, FieldPhase)
	}
}
