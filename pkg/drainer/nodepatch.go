// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// nodePatch is a merge patch of a node. It carries the resourceVersion and the UID that it was
// computed from, so that the API server refuses it when somebody changed the node in between:
// the list of taints is replaced as a whole.
type nodePatch struct {
	body map[string]any
	// changes say in words what the patch does, for events and logs.
	changes []string
}

func newNodePatch(node *corev1.Node) *nodePatch {
	return &nodePatch{body: map[string]any{
		"metadata": map[string]any{"resourceVersion": node.ResourceVersion, "uid": node.UID},
	}}
}

func (p *nodePatch) metadata(kind, key string, value any) {
	metadata := p.body["metadata"].(map[string]any)
	if metadata[kind] == nil {
		metadata[kind] = map[string]any{}
	}
	metadata[kind].(map[string]any)[key] = value
}

func (p *nodePatch) spec(field string, value any) {
	if p.body["spec"] == nil {
		p.body["spec"] = map[string]any{}
	}
	p.body["spec"].(map[string]any)[field] = value
}

func (p *nodePatch) changed(format string, args ...any) {
	p.changes = append(p.changes, fmt.Sprintf(format, args...))
}

// empty says that the node is as it should be.
func (p *nodePatch) empty() bool {
	return len(p.body) == 1 && len(p.body["metadata"].(map[string]any)) == 2
}

func (p *nodePatch) encode() ([]byte, error) {
	data, err := json.Marshal(p.body)
	if err != nil {
		return nil, fmt.Errorf("could not encode patch of node: %w", err)
	}
	return data, nil
}

// note is the annotation of a node in maintenance by these.
func (m marks) note(by []heldBy, before v1beta1.NodeBefore) (string, error) {
	listed := min(len(by), maxAnnotatedHolds)
	value, err := json.Marshal(holdsNote{StoreID: m.storeID, Holds: by[:listed], More: len(by) - listed, Before: before})
	if err != nil {
		return "", fmt.Errorf("could not encode annotation %s: %w", v1beta1.HoldsAnnotation, err)
	}
	return string(value), nil
}

// cordonPatch makes the node unschedulable and sets our marks. What is there already is left as it is, but that its
// maintenance is planned. That, and a changed list of holds, are not listed in changes.
func (m marks) cordonPatch(node *corev1.Node, carried nodeMarks, note string) *nodePatch {
	patch := newNodePatch(node)
	if !node.Spec.Unschedulable {
		patch.spec("unschedulable", true)
		patch.changed("made unschedulable")
	}
	taints := m.withoutPlanned(node)
	changed := len(taints) < len(node.Spec.Taints)
	for _, taint := range m.taints {
		if !hasTaint(taints, taint) {
			taints, changed = append(taints, taint), true
			patch.changed("tainted %s", taint.ToString())
		}
	}
	if changed {
		patch.spec("taints", taints)
	}
	if node.Labels[v1beta1.ExcludeFromRemediationLabel] != excludeLabelValue {
		patch.metadata("labels", v1beta1.ExcludeFromRemediationLabel, excludeLabelValue)
		patch.changed("labelled %s", v1beta1.ExcludeFromRemediationLabel)
	}
	if !carried.annotated {
		patch.changed("annotated")
	}
	if node.Annotations[v1beta1.HoldsAnnotation] != note && !carried.anothers {
		patch.metadata("annotations", v1beta1.HoldsAnnotation, note)
	}
	return patch
}

// giveBackPatch removes what cordonPatch set, and restores what before records. Taints and labels of
// others stay.
func (m marks) giveBackPatch(node *corev1.Node, before v1beta1.NodeBefore) *nodePatch {
	patch := newNodePatch(node)
	added := m.completed(before, node).AddedTaints
	if node.Spec.Unschedulable != before.Unschedulable {
		patch.spec("unschedulable", before.Unschedulable)
	}
	taints := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(taint corev1.Taint) bool {
		return listsTaint(added, taint)
	})
	if len(taints) < len(node.Spec.Taints) {
		patch.spec("taints", taints)
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
