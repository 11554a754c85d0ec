// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestRollback has a later version bring holds into every phase, store what this one does not know, and end. This
// version goes on with each of them to its end, and keeps what it does not know.
func TestRollback(t *testing.T) {
	pool := env.Current(t).NewPool(t, 6)
	s := newStore(t)
	server := replaceServer(t, s)
	start(t, server)
	nodes := holdInEveryPhase(t, pool)
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
	storeTomorrow(t, s, pool.Name, nodes)
	start(t, server)

	waitUntilGone(t, pool, "ending")
	waitUntilClean(t, pool, nodes["ending"])
	writeInEveryWay(t, pool, s, pool.Name+"-cordon")
	addNode(t, pool, nodes["pending"])
	letGo(t, pool, "blocked", "late")
	for _, suffix := range []string{"pending", "blocked", "late", "drained", "cordon"} {
		pool.WaitForHold(t, pool.Name+"-"+suffix, suffix+" is drained", env.Drained)
	}
	wantTomorrow(t, s, pool.Name+"-pending", "/status", "/status.nodeBefore") // which were said of no node
	for _, suffix := range []string{"blocked", "late", "drained", "cordon", "unknown"} {
		wantTomorrow(t, s, pool.Name+"-"+suffix)
	}
	wantLeftAsItIs(t, pool, nodes["unknown"])
	wantNotServed(t, pool, s)

	delete(nodes, "ending")
	for suffix, node := range nodes {
		pool.Delete(t, pool.Name+"-"+suffix)
		waitUntilClean(t, pool, node)
	}
}

// holdInEveryPhase returns the nodes of the holds, by what the names of the holds end with. That of the pending one
// does not exist.
func holdInEveryPhase(t *testing.T, pool *env.Pool) map[string]string {
	t.Helper()
	nodes := map[string]string{
		"pending": pool.Name + "-new-1", "cordon": pool.Nodes[0], "blocked": pool.Nodes[1], "late": pool.Nodes[2],
		"drained": pool.Nodes[3], "ending": pool.Nodes[4], "unknown": pool.Nodes[5],
	}
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("blocked", localcluster.OnNode(nodes["blocked"])).Budget("blocked", localcluster.MinAvailable("1")).
		Pod("late", localcluster.OnNode(nodes["late"])).Budget("late", localcluster.MinAvailable("1")).
		Pod("unknown", localcluster.OnNode(nodes["unknown"])))
	onlyCordon := func(spec *v1beta1.NodeMaintenanceSpec) { spec.Stage = v1beta1.StageCordon }
	changes := map[string]func(*v1beta1.NodeMaintenanceSpec){
		"cordon": onlyCordon, "unknown": onlyCordon,
		"late": func(spec *v1beta1.NodeMaintenanceSpec) { spec.Drain.TimeoutSeconds = ptr.To[int64](1) },
	}
	for suffix, node := range nodes {
		create(t, pool, suffix, node, changes[suffix])
	}
	waitForPhases(t, pool, map[string]v1beta1.MaintenancePhase{
		"pending": v1beta1.PhasePending, "blocked": v1beta1.PhaseRunning, "late": v1beta1.PhaseFailed,
		"cordon": v1beta1.PhaseSucceeded, "drained": v1beta1.PhaseSucceeded, "ending": v1beta1.PhaseSucceeded,
		"unknown": v1beta1.PhaseSucceeded,
	})
	return nodes
}

// storeTomorrow makes of the holds what a later version might have stored.
func storeTomorrow(t *testing.T, s *store, prefix string, nodes map[string]string) {
	t.Helper()
	for suffix := range nodes {
		s.change(t, prefix+"-"+suffix, addTomorrow)
	}
	s.change(t, prefix+"-ending", func(object map[string]any) {
		in(object, "metadata")["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		in(object, "metadata")["deletionGracePeriodSeconds"] = 0
	})
	s.change(t, prefix+"-unknown", func(object map[string]any) {
		in(object, "spec")["stage"], in(object, "status")["phase"] = "Quiesce", "Quiescing"
	})
}

// create creates a hold with a rule.
func create(t *testing.T, pool *env.Pool, suffix, node string, change func(*v1beta1.NodeMaintenanceSpec)) {
	t.Helper()
	hold := pool.Hold(suffix, node)
	hold.Spec.Drain.Rules = []v1beta1.DrainRule{{
		PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"none": "such"}}, Action: v1beta1.ActionSkip,
	}}
	if change != nil {
		change(&hold.Spec)
	}
	pool.Create(t, hold)
}

func waitForPhases(t *testing.T, pool *env.Pool, want map[string]v1beta1.MaintenancePhase) {
	t.Helper()
	for suffix, phase := range want {
		pool.WaitForHold(t, pool.Name+"-"+suffix, fmt.Sprintf("%s is %s", suffix, phase), func(nm *v1beta1.NodeMaintenance) bool {
			return nm.Status.Phase == phase && nm.Status.ObservedGeneration > 0
		})
	}
}

// writeInEveryWay changes a hold as clients do.
func writeInEveryWay(t *testing.T, pool *env.Pool, s *store, name string) {
	t.Helper()
	kubectl := pool.Kubectl()
	patch := func(group, kind, patch string) {
		kubectl.Must(t, "", "patch", "nodemaintenances."+group, name, "--type="+kind, "-p", patch)
	}
	manifest := fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance",`+
		`"metadata":{"name":%q},"spec":{"reason":"applied"}}`, name)
	ways := map[string]func(){
		"put": func() {
			holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
			env.Eventually(t, "the hold is put", func(ctx context.Context) string {
				hold, err := holds.Get(ctx, name, metav1.GetOptions{})
				if err == nil {
					hold.Labels = map[string]string{"put": "true"}
					_, err = holds.Update(ctx, hold, metav1.UpdateOptions{})
				}
				if err != nil {
					return err.Error()
				}
				return ""
			})
		},
		"merge patch": func() {
			patch("maintenance.medik8s.io", "merge", `{"spec":{"stage":"Drain"}}`)
		},
		"json patch": func() {
			patch("maintenance.medik8s.io", "json", `[{"op":"replace","path":"/spec/reason","value":"patched"}]`)
		},
		"apply": func() {
			kubectl.Must(t, manifest, "apply", "--server-side", "--force-conflicts", "-f", "-")
		},
		"old group": func() {
			patch("nodemaintenance.medik8s.io", "merge", `{"spec":{"reason":"old"}}`)
		},
	}
	for way, write := range ways {
		before := s.get(t, name)
		write()
		if fmt.Sprint(s.get(t, name)) == fmt.Sprint(before) {
			t.Errorf("%s changed nothing", way)
		}
		wantTomorrow(t, s, name)
	}
}

// addNode adds the node that a hold waits for. The name ends with -1.
func addNode(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	err := pool.Cluster.AddNodes(t.Context(), localcluster.NodeOptions{Count: 1, NamePrefix: strings.TrimSuffix(name, "1")})
	if err != nil {
		t.Fatalf("could not add node %s: %v", name, err)
	}
	pool.Nodes = append(pool.Nodes, name)
}

// letGo deletes the budgets, so that their pods may be evicted.
func letGo(t *testing.T, pool *env.Pool, budgets ...string) {
	t.Helper()
	for _, name := range budgets {
		if err := pool.Kube.PolicyV1().PodDisruptionBudgets(pool.Name).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatalf("could not delete budget %s: %v", name, err)
		}
	}
}

// wantLeftAsItIs wants the hold of a stage of tomorrow to say so, and its node and pod to be as they were.
func wantLeftAsItIs(t *testing.T, pool *env.Pool, node string) {
	t.Helper()
	says := func(nm *v1beta1.NodeMaintenance) bool {
		return strings.Contains(nm.Status.LastError, `spec.stage is "Quiesce", which this version of the server does not know`)
	}
	hold := pool.WaitForHold(t, pool.Name+"-unknown", "the hold says that its stage is not known", says)
	if hold.Status.Phase != "Quiescing" {
		t.Errorf("phase is %s, want that of the later version", hold.Status.Phase)
	}
	if !pool.Node(t, node).Spec.Unschedulable {
		t.Errorf("node %s was given back", node)
	}
	if pods, err := pool.PodsOn(t.Context(), node); err != nil || len(pods) != 1 || pods[0].DeletionTimestamp != nil {
		t.Errorf("node %s has the pods %v (%v), want the one that it had", node, pods, err)
	}
}

// wantNotServed wants no client to see what a later version has stored, nor to store any of it.
func wantNotServed(t *testing.T, pool *env.Pool, s *store) {
	t.Helper()
	kubectl := pool.Kubectl()
	for _, group := range []string{"maintenance.medik8s.io", "nodemaintenance.medik8s.io"} {
		list := kubectl.Must(t, "", "get", "nodemaintenances."+group, "-o", "json", "--show-managed-fields")
		if strings.Contains(list, tomorrow) {
			t.Errorf("%s serves the later version's fields:\n%s", group, list)
		}
	}
	name := pool.Name + "-client"
	manifest := fmt.Sprintf(`{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":%q},`+
		`"tomorrow":1,"unknown":"[]","Unknown":"[]","spec":{"nodeName":"none","stage":"Idle","tomorrow":2}}`, name)
	kubectl.Must(t, manifest, "create", "--validate=ignore", "-f", "-")
	if stored := fmt.Sprint(s.get(t, name)); strings.Contains(stored, tomorrow) {
		t.Errorf("a client has stored fields of a later version: %s", stored)
	}
	pool.Delete(t, name)
}
