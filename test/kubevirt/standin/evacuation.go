// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
)

// tryAgain is how long a migration stays Pending if an earlier one of the same machine has failed, at least.
const tryAgain = 3 * time.Second

// evacuate creates a migration for each machine that is to leave its node, as far as there are slots.
func (k *KubeVirt) evacuate(ctx context.Context, w world) error {
	inCluster, fromNode := 0, map[string]int{}
	moving := sets.New[string]()
	for _, m := range w.moves {
		if !m.ended() {
			inCluster++
			fromNode[w.machines[m.of].node]++
			moving.Insert(m.of)
		}
	}
	k.set(func() {
		for _, count := range fromNode {
			k.most = max(k.most, count)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(w.machines)) {
		of := w.machines[name]
		asked := of.evacuating == of.node || (w.tainted[of.node] && of.strategy == LiveMigrate)
		if !asked || !of.migratable || moving.Has(name) || inCluster >= PerCluster || fromNode[of.node] >= PerNode {
			continue
		}
		inCluster++
		fromNode[of.node]++
		_, err := k.kinds.Resource(migrations).Namespace(k.pool.Name).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": migrations.GroupVersion().String(), "kind": migrationKind,
			"metadata": map[string]any{"generateName": "kubevirt-evacuation-"},
			"spec":     map[string]any{"vmiName": name},
		}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// backsOff says whether the migration still waits because an earlier one of its machine has failed.
func (k *KubeVirt) backsOff(w world, m move) bool {
	failed := slices.ContainsFunc(w.moves, func(other move) bool { return other.of == m.of && other.phase == "Failed" })
	held := false
	k.set(func() { held = k.held })
	return failed && (held || time.Since(m.created) < tryAgain)
}
