// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const operatorFinalizer = "foregroundDeleteNodeMaintenance"

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// operator does what a node-maintenance operator does to nodes and to its objects.
type operator struct {
	*env.Pool
	group, version, taint string
	// objects are those of its CRD.
	objects dynamic.NamespaceableResourceInterface
}

// newOperator installs the CRD of an operator until the test's end, and gives the test nodes.
func newOperator(t *testing.T, nodes int, group, version, taint string) *operator {
	t.Helper()
	e := env.Current(t)
	client, err := dynamic.NewForConfig(e.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{Pool: e.NewPool(t, nodes), group: group, version: version, taint: taint}
	o.objects = client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "nodemaintenances"})
	if _, err := client.Resource(crds).Create(t.Context(), o.crd(), metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not install the CRD: %v", err)
	}
	t.Cleanup(func() {
		err := client.Resource(crds).Delete(context.Background(), o.crd().GetName(), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("could not remove the CRD: %v", err)
		}
	})
	env.Eventually(t, "CRD served", func(ctx context.Context) string {
		if _, err := o.objects.List(ctx, metav1.ListOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
	return o
}

// crd has the shape of the CRD that the operator ships.
func (o *operator) crd() *unstructured.Unstructured {
	text, number := map[string]any{"type": "string"}, map[string]any{"type": "integer"}
	properties := func(of map[string]any) map[string]any { return map[string]any{"type": "object", "properties": of} }
	spec := properties(map[string]any{"nodeName": text, "reason": text})
	spec["required"] = []any{"nodeName"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "nodemaintenances." + o.group},
		"spec": map[string]any{
			"group": o.group, "scope": "Cluster",
			"names": map[string]any{"kind": "NodeMaintenance", "listKind": "NodeMaintenanceList", "plural": "nodemaintenances", "singular": "nodemaintenance"},
			"versions": []any{map[string]any{
				"name": o.version, "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": properties(map[string]any{
					"spec": spec,
					"status": properties(map[string]any{
						"phase": text, "drainProgress": number, "lastError": text, "totalpods": number, "evictionPods": number, "errorOnLeaseCount": number,
						"lastUpdate":  map[string]any{"type": "string", "format": "date-time"},
						"pendingPods": map[string]any{"type": "array", "items": text},
					}),
				})},
			}},
		},
	}}
}

// maintain creates an object for a node as a user does, and writes its finalizer and status as the operator
// does.
func (o *operator) maintain(t *testing.T, name, node string, status map[string]any) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": o.group + "/" + o.version, "kind": "NodeMaintenance",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"test": o.Name}},
		"spec":     map[string]any{"nodeName": node, "reason": "kernel"},
	}}
	created, err := o.objects.Create(t.Context(), object, metav1.CreateOptions{FieldManager: "kubectl-create"})
	if err != nil {
		t.Fatalf("could not create the operator's object: %v", err)
	}
	created.SetFinalizers([]string{operatorFinalizer})
	if created, err = o.objects.Update(t.Context(), created, metav1.UpdateOptions{FieldManager: "manager"}); err != nil {
		t.Fatal(err)
	}
	created.Object["status"] = status
	if created, err = o.objects.UpdateStatus(t.Context(), created, metav1.UpdateOptions{FieldManager: "manager"}); err != nil {
		t.Fatal(err)
	}
	return created
}

// drained is the status of an operator's object whose node is drained.
func drained() map[string]any {
	return map[string]any{
		"phase": "Succeeded", "drainProgress": int64(100), "totalpods": int64(5), "evictionPods": int64(3),
		"lastUpdate": time.Now().UTC().Truncate(time.Second).Format(time.RFC3339),
	}
}

// takeOut marks a node as the operator does, and takes its lease.
func (o *operator) takeOut(t *testing.T, node string) {
	t.Helper()
	env.Eventually(t, "node taken out of service", func(ctx context.Context) string {
		stored := o.Node(t, node)
		stored.Labels[v1beta1.ExcludeFromRemediationLabel] = "true"
		stored.Spec.Unschedulable = true
		for _, key := range []string{o.taint, corev1.TaintNodeUnschedulable} {
			stored.Spec.Taints = append(stored.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
		if _, err := o.Kube.CoreV1().Nodes().Update(ctx, stored, metav1.UpdateOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
}

// lease creates a lease that somebody has renewed just now.
func (o *operator) lease(t *testing.T, namespace, name, holder string) *coordinationv1.Lease {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := o.Kube.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	lease, err := o.Kube.CoordinationV1().Leases(namespace).Create(t.Context(), &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](3600), RenewTime: ptr.To(metav1.NowMicro()),
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// essence is what an import leaves as it is of a node, and what is there before any maintenance.
type essence struct {
	Unschedulable bool
	Taints        []string
	Excluded      string
}

func (o *operator) essence(t *testing.T, node string) essence {
	t.Helper()
	stored := o.Node(t, node)
	found := essence{Unschedulable: stored.Spec.Unschedulable, Excluded: stored.Labels[v1beta1.ExcludeFromRemediationLabel]}
	for i := range stored.Spec.Taints {
		found.Taints = append(found.Taints, stored.Spec.Taints[i].ToString())
	}
	return found
}

// wantLetGo wants the operator's object without its finalizer.
func (o *operator) wantLetGo(t *testing.T, name string) {
	t.Helper()
	object, err := o.objects.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(object.GetFinalizers()) > 0 {
		t.Errorf("%s still has the finalizers %v", name, object.GetFinalizers())
	}
}

// wantWords wants words in what the import wrote.
func wantWords(t *testing.T, out string, words ...string) {
	t.Helper()
	compact := strings.Join(strings.Fields(out), " ")
	for _, word := range words {
		if !strings.Contains(compact, word) {
			t.Errorf("no %q in:\n%s", word, out)
		}
	}
}

// cordon cordons a node as an admin does.
func (o *operator) cordon(t *testing.T, node string) {
	t.Helper()
	patch := map[string]any{"spec": map[string]any{"unschedulable": true}}
	body, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}
