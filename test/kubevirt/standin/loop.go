// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// machine is what the controllers read of a VirtualMachineInstance.
type machine struct {
	object                     *unstructured.Unstructured
	strategy, node, evacuating string
	migratable                 bool
}

func read(object *unstructured.Unstructured) machine {
	of := machine{
		object: object, strategy: text(object, "spec", "evictionStrategy"),
		node: text(object, "status", "nodeName"), evacuating: text(object, "status", "evacuationNodeName"),
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		c, _ := condition.(map[string]any)
		of.migratable = of.migratable || (c["type"] == "LiveMigratable" && c["status"] == "True")
	}
	return of
}

func text(of *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(of.Object, path...)
	return value
}

// move is what the controllers read of a migration.
type move struct {
	name    string
	uid     types.UID
	of      string
	phase   string
	created time.Time
}

func (m move) ended() bool { return m.phase == "Succeeded" || m.phase == "Failed" }

// runs says whether it takes a slot.
func (m move) runs() bool { return !m.ended() && m.phase != "" && m.phase != "Pending" }

// world is everything in the namespace at one moment.
type world struct {
	machines map[string]machine
	moves    []move
	pods     map[string][]corev1.Pod
	tainted  map[string]bool
}

// loop looks at everything until ctx is done.
func (k *KubeVirt) loop(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		w, err := k.look(ctx)
		k.note(ctx, "could not look", err)
		if err != nil {
			continue
		}
		k.checkKilled(w)
		k.note(ctx, "could not evacuate", k.evacuate(ctx, w))
		for _, m := range w.moves {
			k.note(ctx, "could not migrate "+m.of, k.advance(ctx, w, m))
		}
	}
}

// look lists the pods last: a pod that is there for a machine's status may have come since.
func (k *KubeVirt) look(ctx context.Context) (world, error) {
	w := world{machines: map[string]machine{}, pods: map[string][]corev1.Pod{}, tainted: map[string]bool{}}
	nodes, err := k.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return w, err
	}
	for i := range nodes.Items {
		for _, taint := range nodes.Items[i].Spec.Taints {
			if taint.Key == DrainTaint && taint.Effect == corev1.TaintEffectNoSchedule {
				w.tainted[nodes.Items[i].Name] = true
			}
		}
	}
	list, err := k.kinds.Resource(machines).Namespace(k.pool.Name).List(ctx, metav1.ListOptions{})
	if err != nil {
		return w, err
	}
	for i := range list.Items {
		w.machines[list.Items[i].GetName()] = read(&list.Items[i])
	}
	if list, err = k.kinds.Resource(migrations).Namespace(k.pool.Name).List(ctx, metav1.ListOptions{}); err != nil {
		return w, err
	}
	for i := range list.Items {
		m := &list.Items[i]
		w.moves = append(w.moves, move{
			name: m.GetName(), uid: m.GetUID(), of: text(m, "spec", "vmiName"), phase: text(m, "status", "phase"), created: m.GetCreationTimestamp().Time,
		})
	}
	pods, err := k.kube.CoreV1().Pods(k.pool.Name).List(ctx, metav1.ListOptions{})
	if err != nil {
		return w, err
	}
	for _, pod := range pods.Items {
		w.pods[pod.Labels[machineLabel]] = append(w.pods[pod.Labels[machineLabel]], pod)
	}
	return w, nil
}

// migrates says whether a migration of the machine runs.
func (w world) migrates(machine string) bool {
	return slices.ContainsFunc(w.moves, func(m move) bool { return m.of == machine && m.runs() })
}

// checkKilled notes machines whose pod somebody has ended, although they have to migrate, or just do.
func (k *KubeVirt) checkKilled(w world) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, of := range w.machines {
		runs := ""
		for _, pod := range w.pods[name] {
			if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning && pod.Spec.NodeName == of.node {
				runs, k.running[name] = pod.Name, pod.UID
			}
		}
		if runs == "" && k.running[name] != "" && (of.strategy == LiveMigrate || w.migrates(name)) {
			k.errs = append(k.errs, fmt.Errorf("machine %s was killed on node %s: its pod has gone before it was migrated", name, of.node))
			delete(k.running, name)
		}
	}
}

func (k *KubeVirt) patchStatus(ctx context.Context, resource schema.GroupVersionResource, name string, status map[string]any) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = k.kinds.Resource(resource).Namespace(k.pool.Name).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
