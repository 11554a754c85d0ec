// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
)

// The words below say how a pod gets to a node although the node is cordoned.

// tolerates says whether the pod tolerates every taint of the cordon: the scheduler would put it on the
// cordoned node.
func tolerates(pod *corev1.Pod, cordon []corev1.Taint) bool {
	for i := range cordon {
		if toleration(pod, &cordon[i]) == nil {
			return false
		}
	}
	return true
}

// Tolerant are those of the drainable pods that may come back to the node after their eviction although it is
// cordoned: they tolerate the cordon, their controller makes another one, and what that selects is this node, too.
func (in *Input) Tolerant(node *corev1.Node) sets.Set[types.UID] {
	tolerant := sets.New[types.UID]()
	for _, pod := range in.Pods {
		if in.Drainable.Has(pod.UID) && tolerates(pod, in.Cordon) && !unmanaged(pod) && !eviction.Finished(pod) && anyFits([]*corev1.Node{node}, limitsOf(pod, nil)) {
			tolerant.Insert(pod.UID)
		}
	}
	return tolerant
}

// toleration is the pod's first one of the taint; nil when it has none.
func toleration(pod *corev1.Pod, taint *corev1.Taint) *corev1.Toleration {
	for i := range pod.Spec.Tolerations {
		if pod.Spec.Tolerations[i].ToleratesTaint(klog.Logger{}, taint, false) {
			return &pod.Spec.Tolerations[i]
		}
	}
	return nil
}

// whyHere says why a pod got to the cordoned node.
func whyHere(pod *corev1.Pod, cordon []corev1.Taint) string {
	if !tolerates(pod, cordon) {
		return "They do not tolerate the cordon, so their controller names the node in spec.nodeName, " +
			"or their scheduler ignores taints"
	}
	if pins := pins(pod); pins != "" {
		return fmt.Sprintf("They tolerate the cordon (%s) and select the node (%s)", tolerations(pod, cordon), pins)
	}
	return fmt.Sprintf("They tolerate the cordon (%s)", tolerations(pod, cordon))
}

// wayOut says what to change so that no pod comes back.
func wayOut(pod *corev1.Pod, cordon []corev1.Taint) string {
	switch {
	case !tolerates(pod, cordon):
		return "have the controller leave the choice of the node to the scheduler"
	case pins(pod) != "":
		return "remove the toleration or that selection"
	default:
		return "remove the toleration"
	}
}

// tolerations names the taints of the cordon that the pod tolerates, or says that it tolerates every one.
func tolerations(pod *corev1.Pod, cordon []corev1.Taint) string {
	var keys []string
	for i := range cordon {
		found := toleration(pod, &cordon[i])
		if found.Key == "" {
			return "a toleration of every taint"
		}
		keys = append(keys, found.Key)
	}
	return "tolerations of " + strings.Join(keys, ", ")
}

// pins says what of the pod's spec limits the nodes that it may run on; empty when nothing does.
func pins(pod *corev1.Pod) string {
	var parts []string
	for _, label := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		parts = append(parts, fmt.Sprintf("nodeSelector %s=%s", label, pod.Spec.NodeSelector[label]))
	}
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil &&
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		parts = append(parts, "node affinity")
	}
	return strings.Join(parts, ", ")
}
