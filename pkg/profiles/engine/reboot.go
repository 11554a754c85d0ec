// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeutil "k8s.io/component-helpers/node/util"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// recordBoot notes which boot of the node a reboot has to end, before the next step begins, which may be what asks for that
// reboot. Nothing begins before that is known. The API server is asked: a cache that is late could show the boot before,
// and a reboot that is over would count.
func (t *term) recordBoot(ctx context.Context, v *view, next *v1beta1.TransitionStep) (moved, stop bool, err error) {
	reboot := machine.AwaitsBoot(v.next.Status.Transition)
	if reboot == nil {
		return false, false, nil
	}
	name := v.nodeProfile.Spec.NodeName
	node, err := t.config.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && node.UID != v.nodeProfile.Status.NodeUID {
		return false, true, nil // the cache shows it, or is about to
	}
	if err != nil {
		return false, false, fmt.Errorf("could not read the node: %w", err)
	}
	switch boot := node.Status.NodeInfo.BootID; {
	case boot == "":
		err = fmt.Errorf("it could not be seen that %s reboots: its kubelet reports no boot ID in status.nodeInfo.bootID", name)
	case len(boot) > v1beta1.MaxBootIDBytes:
		err = fmt.Errorf("the boot ID of %s has %d bytes, and may have %d", name, len(boot), v1beta1.MaxBootIDBytes)
	default:
		reboot.BootID = boot
		return false, false, nil
	}
	return t.mayNotBegin(ctx, v, next, err)
}

// bootChanged has those looked at that may wait for a boot of the node.
func (t *term) bootChanged(old, node *corev1.Node) {
	if old.Status.NodeInfo.BootID == node.Status.NodeInfo.BootID && readyStatus(old) == readyStatus(node) {
		return
	}
	for _, nodeProfile := range t.indexed(byNode, node.Name) {
		if nodeProfile.Status.Transition != nil {
			t.queue.Add(nodeProfile.Name)
		}
	}
}

func readyStatus(node *corev1.Node) corev1.ConditionStatus {
	if _, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady); ready != nil {
		return ready.Status
	}
	return ""
}
