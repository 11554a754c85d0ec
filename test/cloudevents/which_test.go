// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The instance ID of an event is that of its node. An event that no node, several nodes or two different nodes may be meant
// by does nothing, and says why.
func TestWhichNodeIsMeant(t *testing.T) {
	p := newPool(t, 4)
	p.provide(t, p.Nodes[0], p.Name+"-one")
	p.provide(t, p.Nodes[1], p.Name+"-twin")
	p.provide(t, p.Nodes[2], p.Name+"-twin")
	ofInstance := func(node, instance string) v1beta1.ScheduledEventSpec {
		return v1beta1.ScheduledEventSpec{Code: v1beta1.CodeSystemReboot, NodeName: node, InstanceID: p.Name + "-" + instance}
	}
	one := p.announce(t, "one", ofInstance("", "one"))
	twin := p.announce(t, "twin", ofInstance("", "twin"))
	none := p.announce(t, "none", ofInstance("", "none"))
	other := p.announce(t, "other", ofInstance(p.Nodes[3], "one"))
	if found := p.is(t, one, v1beta1.EventPhaseDrained); found.Status.NodeName != p.Nodes[0] {
		t.Errorf("it is node %s, want %s", found.Status.NodeName, p.Nodes[0])
	}
	p.blocked(t, twin, decision.ReasonAmbiguousNode, p.Nodes[1], p.Nodes[2])
	p.blocked(t, none, decision.ReasonNodeNotFound, p.Name+"-none")
	p.blocked(t, other, decision.ReasonNodeMismatch, p.Nodes[0], p.Nodes[3])
	for _, node := range p.Nodes[1:] {
		p.free(t, node)
	}
	p.provide(t, p.Nodes[3], p.Name+"-none")
	p.is(t, none, v1beta1.EventPhaseDrained)
}

// provide gives a node the ID of a machine at a cloud.
func (p *pool) provide(t *testing.T, node, instance string) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"providerID":%q}}`, providerID(instance))
	if _, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatalf("could not set the provider ID of node %s: %v", node, err)
	}
}

func providerID(instance string) string { return "test:///zone-a/" + instance }

// bearAgain deletes a node, and adds another one of its name.
func (p *pool) bearAgain(t *testing.T, node string) {
	t.Helper()
	if err := p.Kube.CoreV1().Nodes().Delete(t.Context(), node, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	options := localcluster.NodeOptions{Count: len(p.Nodes), NamePrefix: p.Name + "-", Labels: map[string]string{env.PoolLabel: p.Name}}
	if err := p.Cluster.AddNodes(t.Context(), options); err != nil {
		t.Fatal(err)
	}
}

// noHolds waits until no hold names a node of the pool.
func (p *pool) noHolds(t *testing.T) {
	t.Helper()
	env.Eventually(t, "no holds are left", func(ctx context.Context) string {
		list, err := p.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		for i := range list.Items {
			if strings.HasPrefix(list.Items[i].Spec.NodeName, p.Name) {
				return "hold " + list.Items[i].Name
			}
		}
		return ""
	})
}
