// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package patchnode is the trigger patchNode: it changes labels, annotations and finalizers of a node. To do it again
// changes nothing more.
package patchnode

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Trigger is the trigger patchNode.
type Trigger struct {
	nodes typed.NodeInterface
}

var _ action.Trigger = (*Trigger)(nil)

// New returns the trigger. It patches nodes with the server's own rights.
func New(kube kubernetes.Interface) *Trigger {
	return &Trigger{nodes: kube.CoreV1().Nodes()}
}

// Do patches the node, together with the patchNodes right after the step that are recorded as Running.
func (t *Trigger) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	name, wanted := step.NodeProfile.Spec.NodeName, together(step)
	if mark := ownMark(wanted); mark != "" {
		return action.Failed("%s cannot be changed: only the server itself sets it on nodes", mark), nil
	}
	if step.Node == nil {
		return action.Failed("node %s does not exist any more", name), nil
	}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error { return t.patch(ctx, step, wanted) })
	if apierrors.IsNotFound(err) {
		return action.Failed("node %s does not exist any more", name), nil
	}
	if err != nil {
		return action.Refusal("patch node "+name, err)
	}
	return action.Done(), nil
}

// patch patches the node as it is now: the cache could be behind what the step before has done.
func (t *Trigger) patch(ctx context.Context, step action.Step, wanted []*changes) error {
	node, err := t.nodes.Get(ctx, step.Node.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if node.UID != step.Node.UID {
		return apierrors.NewNotFound(corev1.Resource("nodes"), node.Name)
	}
	patch, err := patchOf(node, wanted)
	if err != nil || patch == nil {
		return err
	}
	options := metav1.PatchOptions{}
	if step.DryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	_, err = t.nodes.Patch(ctx, node.Name, types.MergePatchType, patch, options)
	return err
}
