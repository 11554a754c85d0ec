// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

// Reasons of events.
const (
	eventShutdown = "GuestShutdown"
	eventOff      = "MachinePoweredOff"
	eventOn       = "MachinePoweredOn"
)

// takeOut drains the node, and then shuts its machine down. It says whether the machine is being shut down.
func (v *visit) takeOut(ctx context.Context, node *corev1.Node, s state) (waits bool, err error) {
	drained, err := v.holds.Keep(ctx, node, integrations.Want{Reason: reasonOf(node, s), Hurry: s == stateAlarm})
	if err != nil || !drained {
		return false, err
	}
	machine, err := v.machineOf(ctx, node)
	if err != nil {
		return false, err
	}
	if !machine.on {
		v.asked.Delete(shutdownOf(node))
		return false, v.nodes.Mark(ctx, node, integrations.Marks{Without: []string{ShutdownAnnotation}})
	}
	return true, v.shutDown(ctx, node, machine)
}

func reasonOf(node *corev1.Node, s state) string {
	if s == stateAlarm {
		return fmt.Sprintf("host %s has an alarm", node.Labels[HostLabel])
	}
	return fmt.Sprintf("host %s is in maintenance", node.Labels[HostLabel])
}

// shutDown asks the guest once, waits, and powers the machine off if the guest does not do it. When it began is recorded
// before it is asked.
func (v *visit) shutDown(ctx context.Context, node *corev1.Node, m machine) error {
	started, recorded := startedAt(node)
	if !recorded {
		return v.beginShutdown(ctx, node, m)
	}
	if v.clock.Since(started) >= v.settings.ShutdownTimeout {
		return v.cutOff(ctx, node, m, fmt.Sprintf("its guest did not shut down within %s", v.settings.ShutdownTimeout))
	}
	if _, asked := v.asked.Load(shutdownOf(node)); asked {
		return nil
	}
	// An earlier process has recorded it, and perhaps asked: the tools may be gone because the guest shuts down.
	_, err := v.ask(ctx, node, m)
	return err
}

// beginShutdown records that the guest is asked, and asks it. Without VMware Tools nobody listens.
func (v *visit) beginShutdown(ctx context.Context, node *corev1.Node, m machine) error {
	now := v.clock.Now().UTC().Format(time.RFC3339)
	if err := v.nodes.Mark(ctx, node, integrations.Marks{Annotations: map[string]string{ShutdownAnnotation: now}}); err != nil {
		return err
	}
	noTools, err := v.ask(ctx, node, m)
	if err != nil || !noTools {
		return err
	}
	return v.cutOff(ctx, node, m, "VMware Tools do not run in its guest")
}

func (v *visit) ask(ctx context.Context, node *corev1.Node, m machine) (noTools bool, err error) {
	noTools, err = m.shutDown(ctx)
	if err != nil {
		return false, err
	}
	v.asked.Store(shutdownOf(node), nil)
	if !noTools {
		v.reporter.Did(ctx, node.Name, eventShutdown, "The guest of the node's virtual machine was asked to shut down, since its host is in maintenance")
	}
	return noTools, nil
}

// cutOff powers the machine off.
func (v *visit) cutOff(ctx context.Context, node *corev1.Node, m machine, why string) error {
	if err := m.powerOff(ctx); err != nil {
		return err
	}
	v.reporter.Did(ctx, node.Name, eventOff, "The node's virtual machine was powered off: "+why)
	return nil
}

// shutdownOf is what tells one shutdown from another.
func shutdownOf(node *corev1.Node) string {
	return string(node.UID) + "/" + node.Annotations[ShutdownAnnotation]
}

// startedAt is the time when the shutdown of the node began; false if it did not.
func startedAt(node *corev1.Node) (time.Time, bool) {
	started, err := time.Parse(time.RFC3339, node.Annotations[ShutdownAnnotation])
	return started, err == nil
}
