// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemarks

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// NodePatch is a merge patch of a node. It carries the resourceVersion and the UID that it was
// computed from, so that the API server refuses it when somebody changed the node in between:
// the list of taints is replaced as a whole.
type NodePatch struct {
	body map[string]any
	// Changes say in words what the patch does, for events and logs.
	Changes []string
}

// NewNodePatch returns a patch that changes nothing yet.
func NewNodePatch(node *corev1.Node) *NodePatch {
	return &NodePatch{body: map[string]any{
		"metadata": map[string]any{"resourceVersion": node.ResourceVersion, "uid": node.UID},
	}}
}

func (p *NodePatch) metadata(kind, key string, value any) {
	metadata := p.body["metadata"].(map[string]any)
	if metadata[kind] == nil {
		metadata[kind] = map[string]any{}
	}
	metadata[kind].(map[string]any)[key] = value
}

// Spec sets a field of the spec.
func (p *NodePatch) Spec(field string, value any) {
	if p.body["spec"] == nil {
		p.body["spec"] = map[string]any{}
	}
	p.body["spec"].(map[string]any)[field] = value
}

func (p *NodePatch) changed(format string, args ...any) {
	p.Changes = append(p.Changes, fmt.Sprintf(format, args...))
}

// Empty says that the node is as it should be.
func (p *NodePatch) Empty() bool {
	return len(p.body) == 1 && len(p.body["metadata"].(map[string]any)) == 2
}

// Encode returns the patch as it is sent.
func (p *NodePatch) Encode() ([]byte, error) {
	data, err := json.Marshal(p.body)
	if err != nil {
		return nil, fmt.Errorf("could not encode patch of node: %w", err)
	}
	return data, nil
}

// Note is the annotation of a node in maintenance by these.
func (m Marks) Note(by []HeldBy, before v1beta1.NodeBefore) (string, error) {
	listed := min(len(by), MaxAnnotatedHolds)
	value, err := json.Marshal(HoldsNote{StoreID: m.storeID, Holds: by[:listed], More: len(by) - listed, Before: before})
	if err != nil {
		return "", fmt.Errorf("could not encode annotation %s: %w", v1beta1.HoldsAnnotation, err)
	}
	return string(value), nil
}

// CordonPatch makes the node unschedulable and sets our marks. What is there already is left as it is, but that its
// maintenance is planned. That, and a changed list of holds, are not listed in changes.
func (m Marks) CordonPatch(node *corev1.Node, carried NodeMarks, note string) *NodePatch {
	patch := NewNodePatch(node)
	if !node.Spec.Unschedulable {
		patch.Spec("unschedulable", true)
		patch.changed("made unschedulable")
	}
	taints := m.WithoutPlanned(node)
	changed := len(taints) < len(node.Spec.Taints)
	for _, taint := range m.taints {
		if !HasTaint(taints, taint) {
			taints, changed = append(taints, taint), true
			patch.changed("tainted %s", taint.ToString())
		}
	}
	if changed {
		patch.Spec("taints", taints)
	}
	if node.Labels[v1beta1.ExcludeFromRemediationLabel] != ExcludeLabelValue {
		patch.metadata("labels", v1beta1.ExcludeFromRemediationLabel, ExcludeLabelValue)
		patch.changed("labelled %s", v1beta1.ExcludeFromRemediationLabel)
	}
	if !carried.Annotated {
		patch.changed("annotated")
	}
	if node.Annotations[v1beta1.HoldsAnnotation] != note && !carried.Anothers {
		patch.metadata("annotations", v1beta1.HoldsAnnotation, note)
	}
	return patch
}

// GiveBackPatch removes what cordonPatch set, and restores what before records. Taints and labels of
// others stay.
func (m Marks) GiveBackPatch(node *corev1.Node, before v1beta1.NodeBefore) *NodePatch {
	patch := NewNodePatch(node)
	added := m.completed(before, node).AddedTaints
	if node.Spec.Unschedulable != before.Unschedulable {
		patch.Spec("unschedulable", before.Unschedulable)
	}
	taints := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(taint corev1.Taint) bool {
		return ListsTaint(added, taint)
	})
	if len(taints) < len(node.Spec.Taints) {
		patch.Spec("taints", taints)
	}
	value, had := before.Labels[v1beta1.ExcludeFromRemediationLabel]
	current, has := node.Labels[v1beta1.ExcludeFromRemediationLabel]
	switch {
	case had && (!has || current != value):
		patch.metadata("labels", v1beta1.ExcludeFromRemediationLabel, value)
	case !had && has:
		patch.metadata("labels", v1beta1.ExcludeFromRemediationLabel, nil)
	}
	if _, found := node.Annotations[v1beta1.HoldsAnnotation]; found {
		patch.metadata("annotations", v1beta1.HoldsAnnotation, nil)
	}
	return patch
}
