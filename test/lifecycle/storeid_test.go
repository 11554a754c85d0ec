// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// watchTime is how long something is watched that must not happen.
	watchTime = 2 * time.Second

	eventLeftBehind = "NodeLeftBehind"
	gaugeLeftBehind = "maintenance_drainer_nodes_left_behind"
)

// TestNodeOfAnotherStore has a server with a store of its own find a node that the
// usual one has cordoned: it leaves the node alone and says so, and holds it beside the usual one.
func TestNodeOfAnotherStore(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	waitSaysDrained(t, pool, pool.Nodes[0])
	env.Eventually(t, "the cluster has tainted the node", func(context.Context) string {
		if marks := marksOn(pool.Node(t, pool.Nodes[0])); !strings.Contains(marks, corev1.TaintNodeUnschedulable) {
			return marks
		}
		return ""
	})
	before := marksOn(wantCordoned(t, pool, pool.Nodes[0]))
	kill(t)

	other := replaceServer(t, localcluster.ServerOptions{DataDir: filepath.Join(t.TempDir(), "data")})
	env.EventuallyWithin(t, env.EventsTimeout, "an event tells of the node", func(ctx context.Context) string {
		return wrongCount(ctx, pool, pool.Nodes[0], eventLeftBehind, 1)
	})
	env.WaitForMetric(t, other, gaugeLeftBehind, "1")
	env.Always(t, watchTime, "the other server leaves the node alone", func(ctx context.Context) string {
		if after := marksOn(pool.Node(t, pool.Nodes[0])); after != before {
			return fmt.Sprintf("it went from %s to %s", before, after)
		}
		return wrongCount(ctx, pool, pool.Nodes[0], eventLeftBehind, 1)
	})

	// A hold of the other store does not take the cordon for what the node was like before, and leaves it.
	second := pool.Create(t, pool.Hold("b", pool.Nodes[0]))
	drained := pool.WaitForHold(t, second.Name, "node drained for the other store", env.Drained)
	if recorded := drained.Status.NodeBefore; recorded == nil || recorded.Unschedulable || len(recorded.Taints) > 0 {
		t.Errorf("nodeBefore is %+v, want that of a node that nobody held", recorded)
	}
	pool.Delete(t, second.Name)
	if after := marksOn(pool.Node(t, pool.Nodes[0])); after != before {
		t.Errorf("the node went from %s to %s", before, after)
	}

	start(t)
	pool.WaitForHold(t, hold.Name, "the hold is as it was in its own store", env.Drained)
	pool.Delete(t, hold.Name)
	wantClean(t, pool)
}

// waitSaysDrained waits until the node says that it is drained. Its conditions are written after those of the hold.
func waitSaysDrained(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	env.Eventually(t, "node "+name+" says that it is drained", func(context.Context) string {
		if marks := marksOn(pool.Node(t, name)); !strings.Contains(marks, "condition Drained=True") {
			return "it carries only " + marks
		}
		return ""
	})
}

// TestOwnMarksWithoutHold has a server find its own marks, at its start, on nodes
// that nobody holds, as a store that was put back to an older state leaves them
// behind.
func TestOwnMarksWithoutHold(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	storeID := storeIDOn(t, wantCordoned(t, pool, pool.Nodes[0]))
	pool.Delete(t, hold.Name)
	wantClean(t, pool)

	keepServer(t)
	terminate(t)
	mark(t, pool, pool.Nodes[0], storeID, true)
	// A kubelet may write annotations, and so cannot be believed without the taint.
	mark(t, pool, pool.Nodes[1], storeID, false)
	start(t)
	wantCleanNode(t, pool, pool.Nodes[0])
	env.Always(t, watchTime, "a node with a forged annotation stays cordoned", func(context.Context) string {
		if node := pool.Node(t, pool.Nodes[1]); !node.Spec.Unschedulable {
			return "it was uncordoned"
		}
		return ""
	})
}

func storeIDOn(t *testing.T, node *corev1.Node) string {
	t.Helper()
	var note struct {
		StoreID string `json:"storeID"`
	}
	if err := json.Unmarshal([]byte(node.Annotations[v1beta1.HoldsAnnotation]), &note); err != nil || note.StoreID == "" {
		t.Fatalf("no store id in %q: %v", node.Annotations[v1beta1.HoldsAnnotation], err)
	}
	return note.StoreID
}

// mark cordons a node with the marks of a server, with or without the taint.
func mark(t *testing.T, pool *env.Pool, node, storeID string, taint bool) {
	t.Helper()
	spec := map[string]any{"unschedulable": true}
	if taint {
		spec["taints"] = []corev1.Taint{{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}}
	}
	patch, err := json.Marshal(map[string]any{
		"spec": spec,
		"metadata": map[string]any{
			"labels": map[string]string{v1beta1.ExcludeFromRemediationLabel: "true"},
			"annotations": map[string]string{
				v1beta1.HoldsAnnotation: fmt.Sprintf(`{"storeID":%q,"holds":[],"before":{"unschedulable":false}}`, storeID),
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// wrongCount compares how often an event was written on an object; "" if that is
// as wanted.
func wrongCount(ctx context.Context, pool *env.Pool, object, reason string, want int32) string {
	list, err := pool.Kube.CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.name": object, "reason": reason}.String(),
	})
	if err != nil {
		return err.Error()
	}
	var count int32
	for i := range list.Items {
		count += times(&list.Items[i])
	}
	if count != want {
		return fmt.Sprintf("%s was written %d times, want %d", reason, count, want)
	}
	return ""
}
