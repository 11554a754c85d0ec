// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// One node is drained, and every way to look at it is tried.
func TestLookAtADrain(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node, kubectl := pool.Nodes[0], pool.Kubectl()
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 2, pool.Selector()).DaemonSet("agent", pool.Selector()))

	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	watch := kubectl.Command(ctx, "get", "nm", "--field-selector", "spec.nodeName="+node, "--watch")
	rows, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	idle := pool.Hold("a", node)
	idle.Spec.Stage = v1beta1.StageIdle
	hold := pool.Create(t, idle)
	seen := readUntil(t, rows, hold.Name) // the watch has begun
	kubectl.Must(t, "", "patch", "nm", hold.Name, "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`)
	seen = append(seen, readUntil(t, rows, "100%")...)
	cancel()
	_ = watch.Wait() // killed
	if len(seen) < 3 || !slices.Equal(strings.Fields(seen[0]), strings.Fields("NAME NODE PHASE PROGRESS PENDING REQUESTOR REASON AGE")) {
		t.Errorf("kubectl get --watch: want a heading, the start and the end, got:\n%s", strings.Join(seen, "\n"))
	}

	kubectl.Must(t, "", "wait", "--for=condition=Drained", "nm/"+hold.Name, "--timeout="+env.Timeout.String())
	kubectl.Must(t, "", "wait", "--for=condition=Cordoned", "nm/"+hold.Name, "--timeout="+env.Timeout.String())
	kubectl.Must(t, "", "wait", "--for=jsonpath={.status.phase}=Succeeded", "nm/"+hold.Name, "--timeout="+env.Timeout.String())

	wide := strings.Split(strings.TrimSpace(kubectl.Must(t, "", "get", "nm", hold.Name, "-o", "wide")), "\n")
	if want := "NAME NODE PHASE PROGRESS PENDING REQUESTOR REASON AGE STAGE BLOCKED BY EARLIEST"; strings.Join(strings.Fields(wide[0]), " ") != want {
		t.Errorf("got columns %q, want %q", wide[0], want)
	}
	cells := strings.Fields(wide[1])
	cells[7] = "age"
	want := []string{hold.Name, node, "Succeeded", "100%", "0", "admin", "test", "age", "Drain", "<none>", "<none>"}
	if !slices.Equal(cells, want) {
		t.Errorf("got row %q, want %q", cells, want)
	}
	wantContains(t, "custom columns", kubectl.Must(t, "", "get", "nm", hold.Name, "-o", "custom-columns=N:.spec.nodeName,P:.status.totalPods"), node+"   3")

	wantEvents(t, "kubectl describe nm", kubectl, []string{"describe", "nm", hold.Name},
		"Requestor: admin", "MaintenanceStarted", "NodeCordoned", "DrainSucceeded")
	wantEvents(t, "kubectl describe node", kubectl, []string{"describe", "node", node},
		"Unschedulable: true", "medik8s.io/drain:NoSchedule", "NodeCordoned", "DrainSucceeded")
	wantEvents(t, "kubectl events", kubectl, []string{"events", "--for", "nodemaintenance/" + hold.Name},
		"NodeMaintenance/"+hold.Name, hold.Name+" (admin) takes node "+node+" out of service: test")
}

// wantEvents waits, since events are written beside the work.
func wantEvents(t *testing.T, what string, kubectl *env.Kubectl, args []string, parts ...string) {
	t.Helper()
	env.EventuallyWithin(t, env.EventsTimeout, what, func(context.Context) string {
		out := kubectl.Must(t, "", args...)
		for _, part := range parts {
			// How the columns are aligned depends on their neighbours.
			if !strings.Contains(strings.Join(strings.Fields(out), " "), part) {
				return "want " + part + " in:\n" + out
			}
		}
		return ""
	})
}

// readUntil reads lines up to the one with a text.
func readUntil(t *testing.T, lines interface{ Read([]byte) (int, error) }, text string) []string {
	t.Helper()
	var seen []string
	scanner := bufio.NewScanner(lines)
	for scanner.Scan() {
		if seen = append(seen, scanner.Text()); strings.Contains(scanner.Text(), text) {
			return seen
		}
	}
	t.Fatalf("no line with %q in:\n%s", text, strings.Join(seen, "\n"))
	return nil
}

func TestWatchShowsTheEnd(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	watch := pool.Kubectl().Command(ctx, "get", "nm", hold.Name, "--watch", "--output-watch-events")
	rows, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	readUntil(t, rows, "ADDED")
	pool.Kubectl().Must(t, "", "delete", "nm", hold.Name)
	readUntil(t, rows, "DELETED")
	cancel()
	_ = watch.Wait() // killed
}

func TestTable(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	asTable := admin(t).with("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	for _, path := range []string{collection + "/" + hold.Name, collection + "?fieldSelector=spec.nodeName%3D" + absentNode(pool), collection + "/" + hold.Name + "/status"} {
		table := asTable.get(t, path).want(t, http.StatusOK).object(t)
		rows, _ := table.Object["rows"].([]any)
		columns, _ := table.Object["columnDefinitions"].([]any)
		if table.GetKind() != "Table" || len(rows) != 1 || len(columns) != 11 || table.GetResourceVersion() == "" {
			t.Errorf("%s: got kind %s, %d rows, %d columns, resourceVersion %q", path, table.GetKind(), len(rows), len(columns), table.GetResourceVersion())
		}
	}
	wantContains(t, "nothing found", pool.Kubectl().Try(t, "", "get", "nm", "--field-selector=spec.nodeName=none-of-"+pool.Name).Stderr, "No resources found")
}

// A long reason with line breaks stays on its row.
func TestReasonKeepsTheTableInShape(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := pool.Hold("a", absentNode(pool))
	hold.Spec.Reason = "new disk " + strings.Repeat("é", 900)
	pool.Create(t, hold)
	lines := strings.Split(strings.TrimSpace(pool.Kubectl().Must(t, "", "get", "nm", hold.Name)), "\n")
	if len(lines) != 2 || len([]rune(lines[1])) > 160 {
		t.Errorf("got:\n%s", strings.Join(lines, "\n"))
	}
	wantContains(t, "row", lines[1], "new disk éé", "...")
}

// The wide row names what blocks a drain.
func TestBlockedDrainIsShown(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("web", 1, pool.Selector()).Budget("web", localcluster.MaxUnavailable("0")))
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	env.Eventually(t, "the budget in BLOCKED BY", func(context.Context) string {
		out := pool.Kubectl().Must(t, "", "get", "nm", hold.Name, "-o", "wide")
		if strings.Contains(out, "PodDisruptionBudget "+pool.Name+"/web (1 pod)") {
			return ""
		}
		return out
	})
}
