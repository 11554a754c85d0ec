// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// markedUnseen says whether the API server has cordoned the node, and the caches do not show it yet. It reads the node
// if somebody may have sent a cordon: an earlier process, or this one after the node was let pass.
func (g *Guard) markedUnseen(ctx context.Context, node *corev1.Node) (bool, error) {
	if g.sentNoCordon(node) {
		return false, nil
	}
	found, err := g.kube.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("could not read whether node %s is cordoned: %w", node.Name, err)
	}
	return found.UID == node.UID && nodemarks.Marked(found), nil
}

// sentNoCordon says whether nobody has sent a cordon of the node since it was read, or given back.
func (g *Guard) sentNoCordon(node *corev1.Node) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := g.answered(node)
	return last == waits || last == released
}
