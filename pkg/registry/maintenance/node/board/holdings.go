// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package board

import (
	"cmp"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdings are the holds on each node. They come from lists and from a watch, which do not wait for each
// other. So each has the revision of the store that it shows, and what is older than that is ignored.
type holdings struct {
	// seen is the latest revision of which everything up to it is known: the watch shows changes in their
	// order. A list of the holds on one node does not count.
	seen uint64
	// listed is the revision of the last list of all holds.
	listed uint64
	byNode map[string]holding
}

// holding are the holds on one node, sorted by name, as they were at a revision.
type holding struct {
	revision uint64
	holds    []v1beta1.NodeMaintenance
}

func newHoldings() holdings { return holdings{byNode: map[string]holding{}} }

func (h *holdings) on(node string) []v1beta1.NodeMaintenance { return h.byNode[node].holds }

// put says whether the hold is news.
func (h *holdings) put(hold *v1beta1.NodeMaintenance) bool {
	return h.change(hold, func(holds []v1beta1.NodeMaintenance, i int, found bool) []v1beta1.NodeMaintenance {
		if found {
			holds[i] = trimmed(hold)
			return holds
		}
		return slices.Insert(holds, i, trimmed(hold))
	})
}

// remove says whether it is news that the hold is gone.
func (h *holdings) remove(hold *v1beta1.NodeMaintenance) bool {
	return h.change(hold, func(holds []v1beta1.NodeMaintenance, i int, found bool) []v1beta1.NodeMaintenance {
		if found {
			return slices.Delete(holds, i, i+1)
		}
		return holds
	})
}

func (h *holdings) change(hold *v1beta1.NodeMaintenance,
	change func(holds []v1beta1.NodeMaintenance, i int, found bool) []v1beta1.NodeMaintenance,
) bool {
	node, revision := hold.Spec.NodeName, revisionOf(hold)
	h.seen = max(h.seen, revision)
	known := h.byNode[node]
	if revision <= max(known.revision, h.listed) {
		return false
	}
	i, found := slices.BinarySearchFunc(known.holds, hold.Name, func(hold v1beta1.NodeMaintenance, name string) int {
		return cmp.Compare(hold.Name, name)
	})
	h.byNode[node] = holding{revision: revision, holds: change(known.holds, i, found)}
	return true
}

// replace says whether the holds on the node are others than those that are known.
func (h *holdings) replace(node string, holds []v1beta1.NodeMaintenance, revision uint64) bool {
	known := h.byNode[node]
	if revision <= max(known.revision, h.listed) {
		return false
	}
	now := make([]v1beta1.NodeMaintenance, 0, len(holds))
	for i := range holds {
		now = append(now, trimmed(&holds[i]))
	}
	slices.SortFunc(now, func(a, b v1beta1.NodeMaintenance) int { return cmp.Compare(a.Name, b.Name) })
	h.byNode[node] = holding{revision: revision, holds: now}
	return !slices.EqualFunc(known.holds, now, func(a, b v1beta1.NodeMaintenance) bool {
		return a.Name == b.Name && a.ResourceVersion == b.ResourceVersion
	})
}

// replaceAll takes a list of all holds, and returns the nodes whose holds have changed.
func (h *holdings) replaceAll(holds []v1beta1.NodeMaintenance, revision uint64) (changed []string) {
	if revision <= h.listed {
		return nil
	}
	byNode := map[string][]v1beta1.NodeMaintenance{}
	for node := range h.byNode {
		byNode[node] = nil
	}
	for i := range holds {
		byNode[holds[i].Spec.NodeName] = append(byNode[holds[i].Spec.NodeName], holds[i])
	}
	for node, holds := range byNode {
		if h.replace(node, holds, revision) {
			changed = append(changed, node)
		}
		if len(h.byNode[node].holds) == 0 && h.byNode[node].revision <= revision {
			delete(h.byNode, node) // listed says as much
		}
	}
	h.listed, h.seen = revision, max(h.seen, revision)
	return changed
}

// trimmed has only what node.State and the board read of the hold. The rest can be large.
func trimmed(hold *v1beta1.NodeMaintenance) v1beta1.NodeMaintenance {
	return v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{
			Name: hold.Name, ResourceVersion: hold.ResourceVersion, Finalizers: hold.Finalizers,
			CreationTimestamp: hold.CreationTimestamp, DeletionTimestamp: hold.DeletionTimestamp,
		},
		Spec: v1beta1.NodeMaintenanceSpec{
			NodeName: hold.Spec.NodeName, Stage: hold.Spec.Stage, Requestor: hold.Spec.Requestor, Reason: hold.Spec.Reason,
		},
		Status: v1beta1.NodeMaintenanceStatus{
			Phase: hold.Status.Phase, DrainProgress: hold.Status.DrainProgress, Conditions: withoutMessages(hold.Status.Conditions),
			Admission: withoutApprovals(hold.Status.Admission),
		},
	}
}

func withoutApprovals(admission *v1beta1.MaintenanceAdmission) *v1beta1.MaintenanceAdmission {
	if admission == nil {
		return nil
	}
	kept := *admission
	kept.Approvals = nil
	return &kept
}

func withoutMessages(conditions []metav1.Condition) []metav1.Condition {
	kept := slices.Clone(conditions)
	for i := range kept {
		kept[i].Message = ""
	}
	return kept
}

// revisionOf is 0 if the hold has none, which no hold of the store has.
func revisionOf(hold *v1beta1.NodeMaintenance) uint64 {
	revision, err := strconv.ParseUint(hold.ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return revision
}
