// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// addTaken adds to the facts which holds have their node out of service: by this server, or by another operator, from
// which they were imported. The latter counts while this server does not have the node in maintenance: an import is what
// its creator says.
func (a *Admitter) addTaken(facts *decision.Facts) {
	facts.Taken, facts.OutBefore = map[types.UID]bool{}, map[types.UID]bool{}
	begun := map[string][]*v1beta1.NodeMaintenance{}
	for _, hold := range facts.Holds {
		if _, imported := hold.Annotations[v1beta1.ImportedAnnotation]; imported || hold.Status.NodeBefore != nil {
			begun[hold.Spec.NodeName] = append(begun[hold.Spec.NodeName], hold)
		}
	}
	for _, node := range facts.Nodes {
		for _, hold := range begun[node.Name] {
			facts.Taken[hold.UID] = a.config.Cluster.HasTaken(node, hold)
			facts.OutBefore[hold.UID] = !a.config.Cluster.HasInMaintenance(node) && holdstatus.OutBeforeImport(node, hold.Annotations)
		}
	}
}
