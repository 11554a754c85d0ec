// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

// giveBack turns the machine on, deletes the hold, and then removes the records. It says whether the node is still being
// given back. Each step is found done after a restart.
func (v *visit) giveBack(ctx context.Context, node *corev1.Node) (waits bool, err error) {
	machine, err := v.machineOf(ctx, node)
	if err != nil {
		return false, err
	}
	if !machine.on {
		if err := machine.powerOn(ctx); err != nil {
			return false, err
		}
		v.reporter.Did(ctx, node.Name, eventOn, "The node's virtual machine was powered on, since its host is back")
	}
	gone, err := v.holds.GiveBack(ctx, node.Name)
	if err != nil || !gone {
		return true, err
	}
	v.asked.Delete(shutdownOf(node))
	return false, v.nodes.Mark(ctx, node, integrations.Marks{Without: []string{InitiatedAnnotation, ShutdownAnnotation}})
}
