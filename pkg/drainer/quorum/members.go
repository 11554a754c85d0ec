// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	nodeutil "k8s.io/component-helpers/node/util"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

func ready(node *corev1.Node) bool {
	_, condition := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return condition != nil && condition.Status == corev1.ConditionTrue
}

// readiness is what is said of a node for its readiness alone.
func readiness(node *corev1.Node) string {
	if ready(node) {
		return ""
	}
	return notReady
}

// outside lists the nodes that are members, by name, each with what out says of it.
func outside(nodes []*corev1.Node, out func(*corev1.Node) string) []Member {
	var members []Member
	for _, node := range nodes {
		if controlplane.Member(node) {
			members = append(members, Member{Name: node.Name, Out: out(node)})
		}
	}
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return members
}

// asking are the holds that want their node out of service now. One that waits to be admitted keeps nobody.
func asking(holds []*v1beta1.NodeMaintenance) []*v1beta1.NodeMaintenance {
	asking := slices.DeleteFunc(slices.Clone(holds), func(h *v1beta1.NodeMaintenance) bool {
		return !h.DeletionTimestamp.IsZero() || v1beta1.StageNow(h) == v1beta1.StageIdle
	})
	slices.SortFunc(asking, func(a, b *v1beta1.NodeMaintenance) int { return cmp.Compare(a.Name, b.Name) })
	return asking
}

func overriding(holds []*v1beta1.NodeMaintenance) bool {
	return slices.ContainsFunc(holds, func(h *v1beta1.NodeMaintenance) bool { return h.Spec.OverrideQuorum })
}

// takenOut says whether the node itself shows that it is out of service: by our marks, or by a taint of the operator
// that a hold was imported from.
func takenOut(node *corev1.Node, holds []*v1beta1.NodeMaintenance) bool {
	return nodemarks.Marked(node) || slices.ContainsFunc(holds, func(h *v1beta1.NodeMaintenance) bool {
		return holdstatus.OutBeforeImport(node, h.Annotations)
	})
}

// cordoned says whether the node or a hold shows that it is out of service. A mark may be missing that somebody
// took off. The hold may tell of a cordon that was taken back since, which errs to the safe side.
func cordoned(node *corev1.Node, holds []*v1beta1.NodeMaintenance) bool {
	return takenOut(node, holds) || slices.ContainsFunc(holds, func(h *v1beta1.NodeMaintenance) bool {
		return h.Status.NodeUID == node.UID && apimeta.IsStatusConditionTrue(h.Status.Conditions, v1beta1.ConditionCordoned)
	})
}

// mayHavePassed says whether the holds leave it open that an earlier process let the node pass, and that its cordon
// is still under way: what the node was like before is recorded. A hold that has ended since counts too.
func mayHavePassed(node *corev1.Node, holds []*v1beta1.NodeMaintenance) bool {
	return slices.ContainsFunc(holds, func(h *v1beta1.NodeMaintenance) bool {
		return h.Status.NodeUID == node.UID && h.Status.NodeBefore != nil
	})
}
