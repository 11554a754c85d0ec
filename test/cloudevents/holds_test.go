// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The hold of an event is the server's own. What somebody changes of it is set right, and one that somebody deletes is made
// again once its node was given back.
func TestHoldIsSetRight(t *testing.T) {
	p := newPool(t, 1)
	p.Run(t, p.Cluster.Workload(p.Name).Pod("web", localcluster.OnNode(p.Nodes[0])))
	event := p.announce(t, "reboot", rebootOf(p.Nodes[0], 0))
	begun := p.wait(t, event, "its drain has started", func(event *v1beta1.ScheduledEvent) bool { return event.Status.DrainStartTime != nil })
	holds := p.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	for _, patch := range []string{
		`{"spec":{"stage":"Idle"}}`, `{"spec":{"drain":{"podSelector":{"matchLabels":{"no":"pod"}}}}}`,
		`{"spec":{"drain":{"rules":[{"podSelector":{"matchLabels":{"keep":"yes"}},"action":"Skip"}]}}}`,
	} {
		if _, err := holds.Patch(t.Context(), begun.Status.Maintenance, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		p.WaitForHold(t, begun.Status.Maintenance, "it drains all pods again after "+patch, func(hold *v1beta1.NodeMaintenance) bool {
			return hold.Spec.Stage == v1beta1.StageDrain && hold.Spec.Drain.PodSelector == nil && len(hold.Spec.Drain.Rules) == 0
		})
	}
	before, err := holds.Get(t.Context(), begun.Status.Maintenance, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := holds.Delete(t.Context(), before.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "there is another hold", func(ctx context.Context) string {
		hold, err := holds.Get(ctx, before.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return "none"
		case err != nil:
			return err.Error()
		case hold.UID == before.UID:
			return "the same"
		}
		return ""
	})
	p.is(t, event, v1beta1.EventPhaseDrained)
}
