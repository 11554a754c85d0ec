// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The eviction strategies of a machine.
const (
	None                  = "None"
	LiveMigrate           = "LiveMigrate"
	LiveMigrateIfPossible = "LiveMigrateIfPossible"
)

// Machine is a virtual machine to start.
type Machine struct {
	// Name is the name of the VirtualMachineInstance.
	Name string
	// Node runs it.
	Node string
	// Strategy is its eviction strategy; empty: it has none.
	Strategy string
	// NotMigratable is the reason why it cannot be migrated; empty: it can.
	NotMigratable string
}

// Run starts machines, and returns when their pods are ready.
func (k *KubeVirt) Run(t *testing.T, list ...Machine) {
	t.Helper()
	for _, m := range list {
		if err := k.create(t.Context(), m); err != nil {
			t.Fatalf("could not start machine %s: %v", m.Name, err)
		}
	}
	for _, m := range list {
		env.Eventually(t, "machine "+m.Name+" runs", func(ctx context.Context) string {
			pods, err := k.kube.CoreV1().Pods(k.pool.Name).List(ctx, metav1.ListOptions{LabelSelector: machineLabel + "=" + m.Name})
			switch {
			case err != nil:
				return err.Error()
			case len(pods.Items) != 1 || pods.Items[0].Status.Phase != corev1.PodRunning:
				return "its pod does not run"
			}
			return ""
		})
	}
}

func (k *KubeVirt) create(ctx context.Context, m Machine) error {
	spec := map[string]any{}
	if m.Strategy != "" {
		spec["evictionStrategy"] = m.Strategy
	}
	created, err := k.kinds.Resource(machines).Namespace(k.pool.Name).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": machines.GroupVersion().String(), "kind": machineKind,
		"metadata": map[string]any{"name": m.Name, "labels": map[string]any{"kubevirt.io/nodeName": m.Node}}, "spec": spec,
	}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	status := map[string]any{"phase": "Running", "nodeName": m.Node, "conditions": migratable(m.NotMigratable)}
	if err := k.patchStatus(ctx, machines, m.Name, status); err != nil {
		return err
	}
	pod := k.launcher(created, localcluster.NodeSelector(corev1.LabelHostname, m.Node))
	if _, err := k.kube.CoreV1().Pods(k.pool.Name).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	if m.Strategy == LiveMigrate || (m.Strategy == LiveMigrateIfPossible && m.NotMigratable == "") {
		_, err = k.kube.PolicyV1().PodDisruptionBudgets(k.pool.Name).Create(ctx, budget(created), metav1.CreateOptions{})
	}
	return err
}

// SetMigratable says that the machine can be migrated.
func (k *KubeVirt) SetMigratable(t *testing.T, machine string) {
	t.Helper()
	if err := k.patchStatus(t.Context(), machines, machine, map[string]any{"conditions": migratable("")}); err != nil {
		t.Fatal(err)
	}
}

func migratable(whyNot string) []any {
	condition := map[string]any{"type": "LiveMigratable", "status": "True"}
	if whyNot != "" {
		condition["status"], condition["reason"], condition["message"] = "False", "DisksNotLiveMigratable", whyNot
	}
	return []any{condition}
}

// machineLabel of a pod names its machine.
const machineLabel = "vm.kubevirt.io/name"

// launcher is a pod that runs the machine.
func (k *KubeVirt) launcher(machine *unstructured.Unstructured, where localcluster.PodOption) *corev1.Pod {
	template := &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "virt-launcher-" + machine.GetName() + "-",
			Labels: map[string]string{
				"kubevirt.io": "virt-launcher", "kubevirt.io/created-by": string(machine.GetUID()), machineLabel: machine.GetName(),
			},
			Annotations:     map[string]string{"kubevirt.io/domain": machine.GetName(), localcluster.ReadyDelayAnnotation: "100ms"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(machine, machines.GroupVersion().WithKind(machineKind))},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "compute", Image: "simulated"}},
		},
	}
	localcluster.EmptyDir()(template)
	where(template)
	return &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
}

// budget keeps the pod of a machine, which leaves by migration.
func budget(machine *unstructured.Unstructured) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    "kubevirt-disruption-budget-",
			Labels:          map[string]string{machineLabel: machine.GetName()},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(machine, machines.GroupVersion().WithKind(machineKind))},
		},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt32(1)),
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"kubevirt.io/created-by": string(machine.GetUID())}},
		},
	}
}

// keep has the budget of the machine keep that many pods.
func (k *KubeVirt) keep(ctx context.Context, machine string, pods int32) error {
	budgets := k.kube.PolicyV1().PodDisruptionBudgets(k.pool.Name)
	list, err := budgets.List(ctx, metav1.ListOptions{LabelSelector: machineLabel + "=" + machine})
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"minAvailable": pods}})
	for i := range list.Items {
		if err == nil {
			_, err = budgets.Patch(ctx, list.Items[i].Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
	}
	return err
}
