// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// migrationLabel of a target pod names its migration.
const migrationLabel = "kubevirt.io/migrationJobUID"

// next is the phase after each phase that passes by itself.
var next = map[string]string{"": "Pending", "Scheduled": "PreparingTarget", "PreparingTarget": "TargetReady", "TargetReady": "Running"}

// advance takes the migration to its next phase, if it may go there.
func (k *KubeVirt) advance(ctx context.Context, w world, m move) error {
	of, exists := w.machines[m.of]
	if !exists || m.ended() {
		return nil
	}
	switch m.phase {
	case "Pending":
		if k.backsOff(w, m) || !w.slot(of.node) {
			return nil
		}
		return k.schedule(ctx, of, m)
	case "Scheduling":
		return k.scheduled(ctx, w.target(m), m)
	case "Running":
		return k.end(ctx, w, of, m)
	default:
		return k.patchStatus(ctx, migrations, m.name, map[string]any{"phase": next[m.phase]})
	}
}

// slot says whether another migration may leave the node.
func (w world) slot(node string) bool {
	inCluster, fromNode := 0, 0
	for _, m := range w.moves {
		if m.runs() {
			inCluster++
			if w.machines[m.of].node == node {
				fromNode++
			}
		}
	}
	return inCluster < PerCluster && fromNode < PerNode
}

// target is the migration's target pod; nil when there is none.
func (w world) target(m move) *corev1.Pod {
	for i, pod := range w.pods[m.of] {
		if pod.Labels[migrationLabel] == string(m.uid) {
			return &w.pods[m.of][i]
		}
	}
	return nil
}

// schedule creates the target pod. The budget keeps both pods until the migration has ended.
func (k *KubeVirt) schedule(ctx context.Context, of machine, m move) error {
	if err := k.keep(ctx, m.of, 2); err != nil {
		return err
	}
	pod := k.launcher(of.object, localcluster.NodeSelector("test-pool", k.pool.Name))
	pod.Labels[migrationLabel] = string(m.uid)
	if _, err := k.kube.CoreV1().Pods(k.pool.Name).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	return k.patchStatus(ctx, migrations, m.name, map[string]any{"phase": "Scheduling"})
}

// scheduled tells the machine where it goes, once the target pod runs.
func (k *KubeVirt) scheduled(ctx context.Context, target *corev1.Pod, m move) error {
	if target == nil || target.Status.Phase != corev1.PodRunning {
		return nil
	}
	state := map[string]any{
		"migrationUid": string(m.uid), "targetNode": target.Spec.NodeName, "targetPod": target.Name,
		"failed": nil, "completed": nil, "failureReason": nil,
		"migrationConfiguration": map[string]any{
			"parallelOutboundMigrationsPerNode": PerNode, "parallelMigrationsPerCluster": PerCluster, "nodeDrainTaintKey": DrainTaint,
		},
	}
	if err := k.patchStatus(ctx, machines, m.of, map[string]any{"migrationState": state}); err != nil {
		return err
	}
	return k.patchStatus(ctx, migrations, m.name, map[string]any{"phase": "Scheduled"})
}

// end has the migration fail if the test said so, and else succeed, unless the test holds it.
func (k *KubeVirt) end(ctx context.Context, w world, of machine, m move) error {
	target := w.target(m)
	if target == nil || target.DeletionTimestamp != nil {
		return k.fail(ctx, m, nil)
	}
	held, fails := false, false
	k.set(func() {
		if held, fails = k.held, k.failures > 0; fails {
			k.failures--
		}
	})
	switch {
	case fails:
		return k.fail(ctx, m, target)
	case held:
		return nil
	default:
		return k.succeed(ctx, w, of, m, target)
	}
}

// fail ends the migration, and its target pod if that is there still.
func (k *KubeVirt) fail(ctx context.Context, m move, target *corev1.Pod) error {
	state := map[string]any{"failed": true, "failureReason": "the target ran out of memory"}
	if err := k.patchStatus(ctx, machines, m.of, map[string]any{"migrationState": state}); err != nil {
		return err
	}
	if err := k.patchStatus(ctx, migrations, m.name, map[string]any{"phase": "Failed"}); err != nil {
		return err
	}
	if target != nil {
		if err := k.complete(ctx, target.Name, corev1.PodFailed); err != nil {
			return err
		}
	}
	return k.keep(ctx, m.of, 1)
}

// succeed has the target run the machine. The source pod completes after that.
func (k *KubeVirt) succeed(ctx context.Context, w world, of machine, m move, target *corev1.Pod) error {
	if err := k.patchStatus(ctx, machines, m.of, map[string]any{
		"nodeName": target.Spec.NodeName, "evacuationNodeName": nil, "migrationState": map[string]any{"completed": true},
	}); err != nil {
		return err
	}
	label := []byte(`{"metadata":{"labels":{"kubevirt.io/nodeName":"` + target.Spec.NodeName + `"}}}`)
	if _, err := k.kinds.Resource(machines).Namespace(k.pool.Name).Patch(ctx, m.of, types.MergePatchType, label, metav1.PatchOptions{}); err != nil {
		return err
	}
	k.set(func() {
		k.moved.Insert(m.of)
		k.running[m.of] = target.UID
	})
	if err := k.patchStatus(ctx, migrations, m.name, map[string]any{"phase": "Succeeded"}); err != nil {
		return err
	}
	for _, pod := range w.pods[m.of] {
		if pod.Spec.NodeName == of.node && pod.Status.Phase == corev1.PodRunning {
			if err := k.complete(ctx, pod.Name, corev1.PodSucceeded); err != nil {
				return err
			}
		}
	}
	return k.keep(ctx, m.of, 1)
}

// complete ends a pod as its kubelet does when the pod has ended by itself.
func (k *KubeVirt) complete(ctx context.Context, pod string, phase corev1.PodPhase) error {
	patch := []byte(`{"status":{"phase":"` + string(phase) + `","conditions":[{"type":"Ready","status":"False"},{"type":"ContainersReady","status":"False"}]}}`)
	_, err := k.kube.CoreV1().Pods(k.pool.Name).Patch(ctx, pod, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
