// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// SaysEmpty says whether, by the status of the hold, no pod is left on its node that a drain of all pods
// would evict. Drained alone says only that the pods are gone that the hold selects.
func SaysEmpty(hold *v1beta1.NodeMaintenance) bool {
	drained := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionDrained)
	return drained != nil && drained.Status == metav1.ConditionTrue && drained.Reason == v1beta1.ReasonNodeEmpty
}
