// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// reboot has a machine go and come back.
func (p *pool) reboot(t *testing.T, node string) {
	t.Helper()
	p.Down(t, node)
	p.Boot(t, node, "second")
	p.Up(t, node)
}

// rebootOf is a reboot of a node that is due, unless the time says later.
func rebootOf(node string, in time.Duration) v1beta1.ScheduledEventSpec {
	return v1beta1.ScheduledEventSpec{Source: "tickets", Code: v1beta1.CodeSystemReboot, NodeName: node, NotBefore: inFuture(in)}
}

// inFuture is a time from now on.
func inFuture(in time.Duration) *metav1.Time {
	return ptr.To(metav1.NewTime(time.Now().Add(in).Truncate(time.Second)))
}

// free checks that a node carries nothing of a maintenance.
func (p *pool) free(t *testing.T, node string) {
	t.Helper()
	if wrong := p.untouched(node)(t.Context()); wrong != "" {
		t.Errorf("node %s: %s", node, wrong)
	}
}

// untouched says what a node carries of a maintenance that has begun. It may be marked as one that may go soon.
func (p *pool) untouched(name string) func(ctx context.Context) (wrong string) {
	return func(ctx context.Context) string {
		node, err := p.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == v1beta1.PlannedTaint })
		return env.MarksOn(node)
	}
}

// stays checks for a while that a node stays in maintenance.
func (p *pool) stays(t *testing.T, node string, duration time.Duration) {
	t.Helper()
	env.Always(t, duration, "node "+node+" stays cordoned", func(ctx context.Context) string {
		now, err := p.Kube.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if !env.Cordoned(now) {
			return "it was given back: " + env.MarksOn(now)
		}
		return ""
	})
}

// podUIDs are the pool's pods on a node.
func (p *pool) podUIDs(t *testing.T, node string) (uids []types.UID) {
	t.Helper()
	pods, err := p.PodsOn(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pods {
		uids = append(uids, pods[i].UID)
	}
	return uids
}
