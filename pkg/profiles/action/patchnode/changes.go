// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package patchnode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// changes are what one patchNode asks for.
type changes = v1beta1.PatchNodeTrigger

// together are the changes of the step and of its neighbours, in their order.
func together(step action.Step) []*changes {
	wanted := []*changes{step.Recorded.Trigger.PatchNode}
	steps := step.Transition.Steps
	at := slices.IndexFunc(steps, func(s v1beta1.TransitionStep) bool { return s.ID == step.Recorded.ID })
	for _, next := range steps[at+1:] {
		if next.Trigger.PatchNode == nil || next.State != v1beta1.StepRunning {
			break
		}
		wanted = append(wanted, next.Trigger.PatchNode)
	}
	return wanted
}

// ownMark returns a key that only the server itself may change; empty if there is none.
func ownMark(wanted []*changes) string {
	for _, c := range wanted {
		keys := slices.Concat(slices.Sorted(maps.Keys(c.Labels)), slices.Sorted(maps.Keys(c.Annotations)),
			c.RemoveLabels, c.RemoveAnnotations, c.AddFinalizers, c.RemoveFinalizers)
		if i := slices.IndexFunc(keys, v1beta1.IsOwnMark); i >= 0 {
			return keys[i]
		}
	}
	return ""
}

// patchOf returns the merge patch that makes the changes; nil if the node is as it should be. The API server refuses the
// patch if the node has changed in between: finalizers are a list, which is replaced as a whole.
func patchOf(node *corev1.Node, wanted []*changes) ([]byte, error) {
	before := metav1.ObjectMeta{Labels: node.Labels, Annotations: node.Annotations, Finalizers: node.Finalizers}
	after := *before.DeepCopy()
	for _, c := range wanted {
		apply(c, &after, node.DeletionTimestamp != nil)
	}
	if apiequality.Semantic.DeepEqual(before, after) {
		return nil, nil
	}
	after.UID, after.ResourceVersion = node.UID, node.ResourceVersion
	return mergePatch(before, after)
}

// apply makes the changes of one patchNode.
func apply(c *changes, to *metav1.ObjectMeta, ending bool) {
	for key, value := range c.Labels {
		metav1.SetMetaDataLabel(to, key, value)
	}
	for key, value := range c.Annotations {
		metav1.SetMetaDataAnnotation(to, key, value)
	}
	for _, key := range c.RemoveLabels {
		delete(to.Labels, key)
	}
	for _, key := range c.RemoveAnnotations {
		delete(to.Annotations, key)
	}
	for _, finalizer := range c.AddFinalizers {
		if !ending && !slices.Contains(to.Finalizers, finalizer) {
			to.Finalizers = append(to.Finalizers, finalizer)
		}
	}
	to.Finalizers = slices.DeleteFunc(to.Finalizers, func(f string) bool { return slices.Contains(c.RemoveFinalizers, f) })
}

func mergePatch(before, after metav1.ObjectMeta) ([]byte, error) {
	was, err := json.Marshal(metav1.PartialObjectMetadata{ObjectMeta: before})
	if err != nil {
		return nil, fmt.Errorf("could not encode it: %w", err)
	}
	is, err := json.Marshal(metav1.PartialObjectMetadata{ObjectMeta: after})
	if err != nil {
		return nil, fmt.Errorf("could not encode it: %w", err)
	}
	return jsonpatch.CreateMergePatch(was, is)
}
