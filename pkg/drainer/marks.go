// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxAnnotatedHolds keeps the annotation on the node short.
const maxAnnotatedHolds = 10

const excludeLabelValue = "true"

// marks are what a cordoned node carries besides spec.unschedulable.
type marks struct {
	storeID string
	taints  []corev1.Taint
}

func newMarks(storeID string, extra []corev1.Taint) marks {
	taints := []corev1.Taint{{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}}
	for _, taint := range extra {
		if !hasTaint(taints, taint) {
			taints = append(taints, taint)
		}
	}
	return marks{storeID: storeID, taints: taints}
}

// holdsNote is the value of v1beta1.HoldsAnnotation.
type holdsNote struct {
	StoreID string             `json:"storeID"`
	Holds   []heldBy           `json:"holds"`
	More    int                `json:"more,omitempty"`
	Before  v1beta1.NodeBefore `json:"before"`
}

type heldBy struct {
	Name      string      `json:"name"`
	Requestor string      `json:"requestor,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Since     metav1.Time `json:"since"`
}

func (m marks) note(holds []hold, before v1beta1.NodeBefore) (string, error) {
	note := holdsNote{StoreID: m.storeID, Holds: []heldBy{}, Before: before}
	for _, h := range holds {
		if !h.cordons() {
			continue
		}
		if len(note.Holds) == maxAnnotatedHolds {
			note.More++
			continue
		}
		note.Holds = append(note.Holds, heldBy{
			Name: h.Name, Requestor: h.Spec.Requestor, Reason: h.Spec.Reason, Since: h.CreationTimestamp,
		})
	}
	value, err := json.Marshal(note)
	if err != nil {
		return "", fmt.Errorf("could not encode annotation %s: %w", v1beta1.HoldsAnnotation, err)
	}
	return string(value), nil
}

// readNote reads the annotation of a node. One that is missing or cannot be read is nobody's: it
// names no store.
func readNote(node *corev1.Node) holdsNote {
	var note holdsNote
	if err := json.Unmarshal([]byte(node.Annotations[v1beta1.HoldsAnnotation]), &note); err != nil {
		return holdsNote{}
	}
	return note
}

// before is what the node is like now, as far as a cordon changes it.
func (m marks) before(node *corev1.Node) v1beta1.NodeBefore {
	before := v1beta1.NodeBefore{Unschedulable: node.Spec.Unschedulable}
	for i := range node.Spec.Taints {
		if taint := &node.Spec.Taints[i]; hasTaint(m.taints, *taint) {
			before.Taints = append(before.Taints, taint.ToString())
		}
	}
	slices.Sort(before.Taints)
	if value, found := node.Labels[v1beta1.ExcludeFromRemediationLabel]; found {
		before.Labels = map[string]string{v1beta1.ExcludeFromRemediationLabel: value}
	}
	return before
}

// marked says whether a server of this kind has cordoned the node: the cordon sets both marks,
// giving back removes both, each in one patch.
func marked(node *corev1.Node) bool { return annotated(node) || drainTainted(node) }

func annotated(node *corev1.Node) bool {
	_, found := node.Annotations[v1beta1.HoldsAnnotation]
	return found
}

// anothers says whether the annotation is one of another store's server. That one is left alone: two
// servers that both wrote theirs would never come to an end.
func (m marks) anothers(node *corev1.Node) bool {
	store := readNote(node).StoreID
	return store != "" && store != m.storeID
}

// on says whether the node carries marks of ours that it did not have before. One that another store's
// server holds too is left to that one.
func (m marks) on(node *corev1.Node, before v1beta1.NodeBefore) bool {
	if annotated(node) {
		return !m.anothers(node)
	}
	taint := corev1.Taint{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}
	return drainTainted(node) && !slices.Contains(before.Taints, taint.ToString())
}

// leftBehind is what a node was like before, by its annotation, that carries both our marks; nil for
// any other. The taint must be there too, because a kubelet may write annotations on its own node.
func (m marks) leftBehind(node *corev1.Node) *v1beta1.NodeBefore {
	if note := readNote(node); note.StoreID == m.storeID && drainTainted(node) {
		return &note.Before
	}
	return nil
}

func drainTainted(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1beta1.DrainTaint })
}

func hasTaint(taints []corev1.Taint, wanted corev1.Taint) bool {
	return slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.MatchTaint(&wanted) })
}
