// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// AddFieldLabels returns a function that registers what the NodeMaintenances of a version can be selected
// by. The phase is not among it: the words for it mean others in maintenance.medik8s.io.
func AddFieldLabels(version schema.GroupVersion) func(*runtime.Scheme) error {
	return func(scheme *runtime.Scheme) error {
		return scheme.AddFieldLabelConversionFunc(version.WithKind("NodeMaintenance"), fieldLabel)
	}
}

func fieldLabel(label, value string) (internalLabel, internalValue string, err error) {
	switch label {
	case "metadata.name", v1beta1.FieldNodeName, v1beta1.FieldRequestor:
		return label, value, nil
	default:
		return "", "", fmt.Errorf("field label %q is not supported: use metadata.name, %s or %s",
			label, v1beta1.FieldNodeName, v1beta1.FieldRequestor)
	}
}
