// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// vm builds a VirtualMachineInstance that runs on the node "n".
type vm struct {
	name, uid, strategy, node, evacuating string
	// migratable is the status of the condition LiveMigratable; empty: there is no such condition.
	migratable, reason, message string
	// state is status.migrationState.
	state map[string]any
}

func (v vm) object() *unstructured.Unstructured {
	status := map[string]any{"nodeName": cmp.Or(v.node, "n")}
	if v.evacuating != "" {
		status["evacuationNodeName"] = v.evacuating
	}
	conditions := []any{map[string]any{"type": "Ready", "status": "True"}}
	if v.migratable != "" {
		conditions = append(conditions, map[string]any{
			"type": "LiveMigratable", "status": v.migratable, "reason": v.reason, "message": v.message,
		})
	}
	status["conditions"] = conditions
	if v.state != nil {
		status["migrationState"] = v.state
	}
	spec := map[string]any{}
	if v.strategy != "" {
		spec["evictionStrategy"] = v.strategy
	}
	u := object("VirtualMachineInstance", cmp.Or(v.name, "a"), spec, status)
	u.SetUID(types.UID(cmp.Or(v.uid, "uid-"+cmp.Or(v.name, "a"))))
	u.SetLabels(map[string]string{nodeLabel: cmp.Or(v.node, "n")})
	return u
}

// vmim builds a VirtualMachineInstanceMigration.
type vmim struct {
	name, of, phase string
	// age is how long ago it was created.
	age   time.Duration
	state map[string]any
}

func (v vmim) object() *unstructured.Unstructured {
	status := map[string]any{}
	if v.phase != "" {
		status["phase"] = v.phase
	}
	if v.state != nil {
		status["migrationState"] = v.state
	}
	u := object("VirtualMachineInstanceMigration", v.name, map[string]any{"vmiName": cmp.Or(v.of, "a")}, status)
	u.SetUID(types.UID("uid-" + v.name))
	u.SetCreationTimestamp(metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-v.age)))
	return u
}

func object(kind, name string, spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubevirt.io/v1", "kind": kind,
		"metadata": map[string]any{"namespace": "default", "name": name},
		"spec":     spec, "status": status,
	}}
}

// launcher is the pod of the machine on its node.
func launcher(machine string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "virt-launcher-" + machine, UID: types.UID("pod-" + machine),
		Labels: map[string]string{"kubevirt.io": "virt-launcher"},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstance", Name: machine, UID: types.UID("uid-" + machine), Controller: new(true),
		}},
	}}
}
