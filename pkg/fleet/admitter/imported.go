// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

// outBefore are the holds that were imported from another operator that took their node out of service, and of which the
// node still is.
func outBefore(holds []*v1beta1.NodeMaintenance, nodes []*corev1.Node) map[types.UID]bool {
	imported := map[string][]*v1beta1.NodeMaintenance{}
	for _, hold := range holds {
		if _, found := hold.Annotations[v1beta1.ImportedAnnotation]; found {
			imported[hold.Spec.NodeName] = append(imported[hold.Spec.NodeName], hold)
		}
	}
	out := map[types.UID]bool{}
	for _, node := range nodes {
		for _, hold := range imported[node.Name] {
			out[hold.UID] = drainer.OutBeforeImport(node, hold.Annotations)
		}
	}
	return out
}
