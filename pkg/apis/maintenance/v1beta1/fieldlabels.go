// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// The fields that a list or a watch of NodeMaintenances can be selected by,
// besides metadata.name: kubectl get nm --field-selector spec.nodeName=worker-3.
const (
	// FieldNodeName selects the holds on one node.
	FieldNodeName = "spec.nodeName"
	// FieldRequestor selects the holds of one requestor.
	FieldRequestor = "spec.requestor"
	// FieldPhase selects the holds in one phase.
	FieldPhase = "status.phase"
)

func addFieldLabelConversions(scheme *runtime.Scheme) error {
	return scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("NodeMaintenance"), nodeMaintenanceFieldLabel)
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
