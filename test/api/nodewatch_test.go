// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// startKubectl runs kubectl beside the test, until the test ends, and returns what it prints.
func startKubectl(t *testing.T, kubectl *env.Kubectl, args ...string) interface{ Read([]byte) (int, error) } {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	command := kubectl.Command(ctx, args...)
	printed, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait() // killed
	})
	return printed
}

// kubectl watches the nodes and waits for one, with the permissions of an admin and of a team.
func TestKubectlWatchesNodes(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	node, team := pool.Nodes[0], "watchers-of-"+pool.Name
	grantSelfService(t, pool, pool.Name, team, node)
	pia := pool.KubectlAs(t, "pia-of-"+pool.Name, team)

	all := startKubectl(t, pool.Kubectl(), "get", "nodes.maintenance.medik8s.io", "-l", "kubernetes.io/hostname="+node, "--watch")
	own := startKubectl(t, pia, "get", "nodes.maintenance.medik8s.io", node, "--watch", "--output-watch-events")
	readUntil(t, all, "InService")
	readUntil(t, own, "InService")
	hold := pool.Create(t, pool.Hold("a", node))
	pia.Must(t, "", "wait", "--for=jsonpath={.status.state}=Drained", "nodes.maintenance.medik8s.io/"+node, "--timeout="+env.Timeout.String())
	readUntil(t, all, "Drained")
	readUntil(t, own, "Drained")
	pool.Delete(t, hold.Name)
	if seen := strings.Join(readUntil(t, own, "InService"), "\n"); strings.Contains(seen, "DELETED") {
		t.Errorf("the node was called deleted:\n%s", seen)
	}
	for _, others := range [][]string{{pool.Nodes[1]}, {}} {
		args := append([]string{"get", "nodes.maintenance.medik8s.io", "--watch", "--request-timeout=1m"}, others...)
		if out := pia.Try(t, "", args...); !strings.Contains(out.Stderr, "(Forbidden)") {
			t.Errorf("kubectl %v: got %q, want it refused", args, out.Stderr)
		}
	}
}

// A watch that goes on from a list misses nothing, and a node that no longer matches is deleted.
func TestWatchOfNodesByState(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	nodes := pool.Maintenance.MaintenanceV1beta1().NodeStates()
	selected := metav1.ListOptions{LabelSelector: "kubernetes.io/hostname=" + pool.Nodes[0], FieldSelector: "status.state!=Drained"}
	list, err := nodes.List(t.Context(), selected)
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.Kubectl().Must(t, "", "wait", "--for=condition=Drained", "nm/"+hold.Name, "--timeout="+env.Timeout.String())
	selected.ResourceVersion = list.ResourceVersion
	w, err := nodes.Watch(t.Context(), selected)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	var seen []watch.EventType
	for len(seen) == 0 || seen[len(seen)-1] != watch.Deleted {
		event := nextChange(t, w)
		if state, ok := event.Object.(*v1beta1.NodeState); !ok || state.Name != pool.Nodes[0] {
			t.Fatalf("got %s of %+v", event.Type, event.Object)
		}
		seen = append(seen, event.Type)
	}
	if slices.Contains(seen, watch.Added) {
		t.Errorf("got %v: the node was in the list", seen)
	}
}

// The generated informer shows what a GET shows.
func TestInformerOfNodes(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	factory := externalversions.NewSharedInformerFactory(pool.Maintenance, 0)
	informer := factory.Maintenance().V1beta1().NodeStates()
	startInformer(t, factory, informer.Informer())
	shows := func(want v1beta1.NodeMaintenanceState) {
		t.Helper()
		env.Eventually(t, "the informer shows "+string(want), func(context.Context) string {
			state, err := informer.Lister().Get(pool.Nodes[0])
			if err != nil {
				return err.Error()
			}
			if state.Status.State != want {
				return string(state.Status.State)
			}
			return ""
		})
	}
	shows(v1beta1.NodeInService)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	shows(v1beta1.NodeDrained)
	pool.Delete(t, hold.Name)
	shows(v1beta1.NodeInService)
}

// A team with the example role finds its nodes, and sees what became of its maintenance.
func TestTeamSeesItsNodesAndEvents(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 3)
	team := "team-of-" + pool.Name
	grantSelfService(t, pool, pool.Name, team, pool.Nodes[0], pool.Nodes[2])
	pia := pool.KubectlAs(t, "pia-of-"+pool.Name, team)

	review := `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview","spec":{"namespace":"default"}}`
	mine := strings.Fields(pia.Must(t, review, "create", "--validate=false", "-f", "-",
		"-o", `jsonpath={.status.resourceRules[?(@.resources[0]=="nodes/maintenance")].resourceNames[*]}`))
	if want := []string{pool.Nodes[0], pool.Nodes[2]}; !slices.Equal(mine, want) {
		t.Fatalf("the team's nodes are %v, want %v", mine, want)
	}
	wantContains(t, "kubectl get", pia.Must(t, "", append([]string{"get", "nodes.maintenance.medik8s.io"}, mine...)...), mine...)
	wantContains(t, "can-i", pia.Must(t, "", "auth", "can-i", "--list"), "nodes.maintenance.medik8s.io/maintenance", "["+mine[0]+"]", "["+mine[1]+"]")

	hold := pool.Hold("a", pool.Nodes[0])
	pia.Must(t, manifest(hold.Name, `{"nodeName":"`+pool.Nodes[0]+`"}`), "create", "-f", "-")
	for what, args := range map[string][]string{
		"describe":   {"describe", "nm", hold.Name},
		"events":     {"events", "--for", "nodemaintenance/" + hold.Name},
		"get events": {"get", "events", "--field-selector", "involvedObject.name=" + hold.Name},
	} {
		wantEvents(t, what, pia, args, "MaintenanceStarted")
	}
	pia.Must(t, "", "delete", "nm", hold.Name)
}
