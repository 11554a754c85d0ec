// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
)

// Preview says what a profile would do now on the nodes that it selects. It may be stored or not. It fails while the
// nodes are not known.
func (e *Engine) Preview(ctx context.Context, profile *v1beta1.MaintenanceProfile) (*v1beta1.ProfilePreview, error) {
	selector, err := selection.New(profile, e.config.Label)
	if err != nil {
		return nil, err
	}
	s, err := e.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s.cluster.SetProfile(asNew(profile))
	preview := &v1beta1.ProfilePreview{}
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		node := s.nodes[name]
		if !selector.Selects(node) {
			continue
		}
		preview.Nodes++
		if len(preview.Items) < v1beta1.MaxPreviewNodes {
			preview.Items = append(preview.Items, e.previewNode(s, profile, node))
		}
	}
	return preview, nil
}

// asNew is the profile with a generation that none has that is stored, so that it is compiled as it is.
func asNew(profile *v1beta1.MaintenanceProfile) *v1beta1.MaintenanceProfile {
	fresh := profile.DeepCopy()
	fresh.Generation = -1
	return fresh
}

func (e *Engine) previewNode(s *snapshot, profile *v1beta1.MaintenanceProfile, node *corev1.Node) v1beta1.ProfilePreviewNode {
	nodeProfile := e.nodeProfileOf(profile, node)
	outcome := e.evaluateIn(s, e.config.Preview, profile, nodeProfile)
	item := v1beta1.ProfilePreviewNode{Node: node.Name, State: nodeProfile.Status.State, Message: text(outcome.Waiting)}
	if nodeProfile.Status.Transition != nil {
		item.Message = fmt.Sprintf("the transition %s is being done", nodeProfile.Status.Transition.Name)
		return item
	}
	if outcome.Winner >= 0 {
		winner := outcome.Transitions[outcome.Winner]
		item.Transition, item.Next = winner.Name, winner.Next
		item.Message = fmt.Sprintf("the transition %s to %s would be taken now", winner.Name, winner.Next)
	}
	return item
}

// nodeProfileOf is where the node is in the profile, or would be if it came to it now.
func (e *Engine) nodeProfileOf(profile *v1beta1.MaintenanceProfile, node *corev1.Node) *v1beta1.NodeProfile {
	name := v1beta1.NodeProfileName(node.Name, profile.Name)
	object, _, _ := e.nodeProfiles.GetStore().GetByKey(name)
	if stored, is := object.(*v1beta1.NodeProfile); is && stored.Status.State != "" {
		return stored
	}
	fresh := &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.NodeProfileSpec{NodeName: node.Name, Profile: profile.Name},
	}
	machine.Start(&fresh.Status, node.UID, e.config.Clock.Now())
	return fresh
}
