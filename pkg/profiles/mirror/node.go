// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
)

// MarkAnnotation is the mark of a node by which the server knows again what it has written: a hash of the label and the
// annotation of the controller.
const MarkAnnotation = v1beta1.GroupName + "/sap-mirror"

// marks are what the controller has written on a node, and our mark of it.
type marks struct{ state, data, mark string }

func marksOf(node *corev1.Node) marks {
	return marks{node.Labels[v1beta1.StateLabel], node.Annotations[sapdata.Annotation], node.Annotations[MarkAnnotation]}
}

// hash is the mark of what was written.
func (m marks) hash() string {
	sum := sha256.Sum256([]byte(m.state + "\n" + m.data))
	return hex.EncodeToString(sum[:16])
}

// mirror writes on a node what is true, unless the controller does.
func (t *term) mirror(ctx context.Context, name string) error {
	object, exists, _ := t.nodes.GetStore().GetByKey(name)
	node, is := object.(*corev1.Node)
	if !exists || !is || node.DeletionTimestamp != nil || t.unread(name) {
		return nil
	}
	found := marksOf(node)
	if found.mark != "" && found.mark != found.hash() {
		return t.foreign(ctx, node)
	}
	if found.mark == "" && found.data != "" && (!t.Adopted(name) || !t.hasAll(name, found.data)) {
		return nil
	}
	return t.write(ctx, node, found)
}

// hasAll says whether each profile is on the node that the controller has left in another state than Operational. One that
// is not may be about to be created, and adopts that state then.
func (t *term) hasAll(node, left string) bool {
	data, err := sapdata.Parse(left)
	if err != nil {
		return false
	}
	here := map[string]bool{}
	for _, profile := range t.onNode(node) {
		here[profile.Alias] = true
	}
	for name, profile := range data.Profiles {
		if !here[name] && sapdata.State(profile.Current) != v1beta1.ProfileOperational {
			return false
		}
	}
	return true
}

// write writes what differs, unless the controller runs.
func (t *term) write(ctx context.Context, node *corev1.Node, found marks) error {
	if t.Shadow.Why(node.Name) != "" {
		return nil
	}
	wanted := t.wanted(node, found)
	if wanted == found {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": node.UID, "resourceVersion": node.ResourceVersion,
		"labels":      map[string]string{v1beta1.StateLabel: wanted.state},
		"annotations": map[string]string{sapdata.Annotation: wanted.data, MarkAnnotation: wanted.mark},
	}})
	if err != nil {
		return err
	}
	_, err = t.Kube.CoreV1().Nodes().Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (t *term) wanted(node *corev1.Node, found marks) marks {
	before, _ := sapdata.Parse(found.data) // what cannot be read tells nothing
	profiles := t.onNode(node.Name)
	wanted := marks{
		state: sapdata.NodeState(profiles), data: sapdata.Of(profiles, selection.Aliases(node, t.Label), before, node.CreationTimestamp.Time).String(),
	}
	wanted.mark = wanted.hash()
	return wanted
}

// foreign looks at marks that somebody else has changed. A program is taken for the controller as long as the shadow says;
// what a person has written is overwritten, with an event.
func (t *term) foreign(ctx context.Context, cached *corev1.Node) error {
	node, err := t.Kube.CoreV1().Nodes().Get(ctx, cached.Name, metav1.GetOptions{}) // it knows who
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("could not ask who has written on the node: %w", err)
	}
	found := marksOf(node)
	if found.mark == found.hash() {
		return nil // the cache is behind
	}
	manager, at := lastWriter(node)
	if isProgram(manager) && t.Clock.Since(at) < foreignIsNew {
		t.Shadow.Written(node.Name, manager, at)
		return nil
	}
	if t.Shadow.Why(node.Name) != "" {
		return nil
	}
	t.overwritten(node.Name, manager)
	return t.write(ctx, node, found)
}
