// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
)

var podResource = corev1.SchemeGroupVersion.WithResource("pods")

// kubevirtGroup is where KubeVirt's virtual machines are.
const kubevirtGroup = "kubevirt.io"

// podsOfNodes reads the pods of the nodes in maintenance, and of no other.
func (g *gatherer) podsOfNodes(ctx context.Context) error {
	c := g.index.begin("pods/", "the pods of the nodes in maintenance")
	g.eachHeld(c, func(node string) bool {
		return g.read(ctx, c, list{resource: podResource, fieldSelector: "spec.nodeName=" + node, folder: c.path, fields: redact.Pod, see: g.seePod})
	})
	return nil
}

func (g *gatherer) seePod(object *unstructured.Unstructured) bool {
	var pod corev1.Pod
	g.pods.Insert(object.GetUID())
	if !as(object, &pod) {
		return true
	}
	g.story.Pod(&pod)
	for _, volume := range pod.Spec.Volumes {
		switch {
		case volume.PersistentVolumeClaim != nil:
			g.claims.Insert(pod.Namespace + "/" + volume.PersistentVolumeClaim.ClaimName)
		case volume.Ephemeral != nil: // the claim's name is the pod's and the volume's
			g.claims.Insert(pod.Namespace + "/" + pod.Name + "-" + volume.Name)
		}
	}
	return true
}

func key(object *unstructured.Unstructured) string {
	return object.GetNamespace() + "/" + object.GetName()
}

func (g *gatherer) budgets(ctx context.Context) error {
	c := g.index.begin("poddisruptionbudgets/", "every disruption budget")
	g.read(ctx, c, list{resource: policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), folder: c.path, fields: redact.Budget})
	return nil
}

// attachments reads which volumes are attached to the nodes in maintenance.
func (g *gatherer) attachments(ctx context.Context) error {
	c := g.index.begin("volumeattachments/", "the volumes that are attached to the nodes in maintenance")
	if len(g.held) == 0 {
		return nil
	}
	resource := storagev1.SchemeGroupVersion.WithResource("volumeattachments")
	g.read(ctx, c, list{resource: resource, folder: c.path, fields: redact.Attachment, see: func(object *unstructured.Unstructured) bool {
		node, _, _ := unstructured.NestedString(object.Object, "spec", "nodeName")
		return g.held.Has(node)
	}})
	return nil
}

func (g *gatherer) volumeClaims(ctx context.Context) error {
	c := g.index.begin("persistentvolumeclaims/", "the claims of the pods of the nodes in maintenance")
	if len(g.claims) == 0 {
		return nil
	}
	resource := corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	g.read(ctx, c, list{resource: resource, folder: c.path, fields: redact.Claim, see: func(object *unstructured.Unstructured) bool {
		return g.claims.Has(key(object))
	}})
	return nil
}

// virtualMachines reads KubeVirt's virtual machines on the nodes in maintenance, and their migrations.
func (g *gatherer) virtualMachines(ctx context.Context) error {
	c := g.index.begin("virtualmachines/", "KubeVirt's virtual machines on the nodes in maintenance, and their migrations")
	version := g.groups[kubevirtGroup]
	if version == "" || len(g.held) == 0 {
		return nil
	}
	group := schema.GroupVersion{Group: kubevirtGroup, Version: version}
	g.read(ctx, c, list{
		resource: group.WithResource("virtualmachineinstances"), folder: c.path, fields: redact.VirtualMachineInstance, see: g.seeMachine,
	})
	if len(g.machines) == 0 {
		return nil
	}
	g.read(ctx, c, list{
		resource: group.WithResource("virtualmachineinstancemigrations"), folder: c.path + "migrations/", fields: redact.Migration,
		see: func(object *unstructured.Unstructured) bool {
			machine, _, _ := unstructured.NestedString(object.Object, "spec", "vmiName")
			return g.machines.Has(object.GetNamespace() + "/" + machine)
		},
	})
	return nil
}

func (g *gatherer) seeMachine(object *unstructured.Unstructured) bool {
	node, _, _ := unstructured.NestedString(object.Object, "status", "nodeName")
	if !g.held.Has(node) {
		return false
	}
	g.machines.Insert(key(object))
	return true
}
