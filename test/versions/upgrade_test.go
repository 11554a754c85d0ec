// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// releases is where the objects are as each release has stored them.
const releases = "../../pkg/apis/maintenance/stored/testdata"

// storedAt is the time when the objects in the files were created.
var storedAt = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// after is what becomes of an object once this version has gone on with it.
type after struct {
	gone bool
	// podStays says that nothing evicts the pod of the node.
	podStays bool
	phase    v1beta1.MaintenancePhase
	// reason is that of the condition Drained.
	reason string
}

var (
	emptied  = after{phase: v1beta1.PhaseSucceeded, reason: v1beta1.ReasonNodeEmpty}
	outcomes = map[string]after{
		"pending-new": emptied, "pending-no-node": emptied, "pending-lease-held": emptied, "pending-waiting": emptied, "imported": emptied,
		"draining": emptied, "failed": emptied, "drained": emptied,
		"pending-idle":  {phase: v1beta1.PhasePending, reason: v1beta1.ReasonStageIdle, podStays: true},
		"cordoned":      {phase: v1beta1.PhaseSucceeded, reason: v1beta1.ReasonStageCordon, podStays: true},
		"every-setting": {phase: v1beta1.PhaseSucceeded, reason: v1beta1.ReasonNoPodSelected, podStays: true},
		"released":      {phase: v1beta1.PhasePending, reason: v1beta1.ReasonReleased, podStays: true},
		"giving-back":   {gone: true, podStays: true},
	}
)

// upgraded is one object of a release on a node of its own.
type upgraded struct {
	file, name, node string
	after
}

// TestUpgrade starts the server with the objects as each release stored them, and with the marks that this release
// left on their nodes.
func TestUpgrade(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(releases, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found no files in %s: %v", releases, err)
	}
	pool := env.Current(t).NewPool(t, len(files))
	s := newStore(t)
	server := replaceServer(t, s)
	s.putValue(t, idKey, "upgraded")
	workload := pool.Cluster.Workload(pool.Name)
	var all []upgraded
	for i, file := range files {
		release, kind := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".json")
		outcome, known := outcomes[kind]
		if !known {
			t.Fatalf("it is not said what becomes of %s: add it to outcomes", file)
		}
		name := pool.Name + "-" + strings.ReplaceAll(release, ".", "-") + "-" + kind
		u := upgraded{file: file, node: pool.Nodes[i], name: name, after: outcome}
		all = append(all, u)
		if kind != "drained" {
			workload.Pod(u.name, localcluster.OnNode(u.node), localcluster.Label("app", "web"))
		}
	}
	pool.Run(t, workload)
	for _, u := range all {
		u.store(t, pool, s)
	}
	began := metav1.Now()
	start(t, server)
	for _, u := range all {
		t.Run(u.name, func(t *testing.T) { u.want(t, pool, &began) })
	}
	finish(t, pool, s, all)
}

// store puts the object into the store, as if it had been made a moment ago for the node, and marks the node as the
// server had that stored it.
func (u upgraded) store(t *testing.T, pool *env.Pool, s *store) {
	t.Helper()
	data, err := os.ReadFile(u.file)
	if err != nil {
		t.Fatal(err)
	}
	object := moved(parse(t, data), time.Since(storedAt)-100*time.Second).(map[string]any)
	node := pool.Node(t, u.node)
	in(object, "metadata")["name"], in(object, "spec")["nodeName"] = u.name, u.node
	delete(in(object, "metadata"), "ownerReferences") // their owner does not exist, so the object would be deleted
	if _, applied := in(object, "status")["nodeUID"]; applied {
		in(object, "status")["nodeUID"] = string(node.UID)
	}
	if before := in(object, "status", "nodeBefore"); before != nil {
		mark(t, pool, node, before)
	}
	s.put(t, u.name, object)
}

// moved is the value with all times in it later.
func moved(value any, by time.Duration) any {
	switch of := value.(type) {
	case map[string]any:
		for name := range of {
			of[name] = moved(of[name], by)
		}
	case []any:
		for i := range of {
			of[i] = moved(of[i], by)
		}
	case string:
		if at, err := time.Parse(time.RFC3339, of); err == nil {
			return at.Add(by).UTC().Format(time.RFC3339)
		}
	}
	return value
}

// mark makes the node look as after a cordon.
func mark(t *testing.T, pool *env.Pool, node *corev1.Node, before map[string]any) {
	t.Helper()
	note, err := json.Marshal(map[string]any{"storeID": "upgraded", "holds": []any{}, "before": before})
	if err != nil {
		t.Fatal(err)
	}
	node.Spec.Unschedulable = true
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule})
	metav1.SetMetaDataLabel(&node.ObjectMeta, v1beta1.ExcludeFromRemediationLabel, "true")
	metav1.SetMetaDataAnnotation(&node.ObjectMeta, v1beta1.HoldsAnnotation, string(note))
	node.ResourceVersion = ""
	if _, err := pool.Kube.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatalf("could not mark node %s: %v", node.Name, err)
	}
}

// want waits until the object is what it is to become. began is when this version started.
func (u upgraded) want(t *testing.T, pool *env.Pool, began *metav1.Time) {
	t.Helper()
	if u.gone {
		waitUntilGone(t, pool, strings.TrimPrefix(u.name, pool.Name+"-"))
		waitUntilClean(t, pool, u.node)
	} else {
		became := func(nm *v1beta1.NodeMaintenance) bool {
			drained := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionDrained)
			return nm.Status.Phase == u.phase && drained != nil && drained.Reason == u.reason
		}
		hold := pool.WaitForHold(t, u.name, fmt.Sprintf("it is %s, with Drained %s", u.phase, u.reason), became)
		if strings.HasSuffix(u.name, "-drained") && !hold.Status.DrainedTime.Before(began) {
			t.Errorf("it was drained again, at %s", hold.Status.DrainedTime)
		}
	}
	pods, err := pool.PodsOn(t.Context(), u.node)
	if err != nil {
		t.Fatal(err)
	}
	if stays := len(pods) == 1 && pods[0].DeletionTimestamp == nil; stays != u.podStays {
		t.Errorf("the node has %d pods, want that its pod stays: %t", len(pods), u.podStays)
	}
}

// finish ends all holds, and wants the nodes as they were before.
func finish(t *testing.T, pool *env.Pool, s *store, all []upgraded) {
	t.Helper()
	for _, u := range all {
		switch {
		case u.gone:
		case strings.HasSuffix(u.name, "-released"):
			released := s.get(t, u.name)
			if finalizers := in(released, "metadata")["finalizers"]; !slices.Equal(finalizers.([]any), []any{"example.com/audit"}) {
				t.Errorf("%s has the finalizers %v, want that of somebody else", u.name, finalizers)
			}
			pool.Kubectl().Must(t, "", "patch", "nodemaintenances.maintenance.medik8s.io", u.name,
				"--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
		default:
			pool.Delete(t, u.name)
			waitUntilClean(t, pool, u.node)
		}
	}
}
