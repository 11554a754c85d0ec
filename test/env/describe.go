// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Drained tells whether a hold's condition Drained is True.
func Drained(nm *v1beta1.NodeMaintenance) bool {
	return meta.IsStatusConditionTrue(nm.Status.Conditions, v1beta1.ConditionDrained)
}

// describe is what a failed wait says about a hold.
func describe(nm *v1beta1.NodeMaintenance) string {
	status, err := json.Marshal(nm.Status)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s: spec %+v, status %s", nm.Name, nm.Spec, status)
}
