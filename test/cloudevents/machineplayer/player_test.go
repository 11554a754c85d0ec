// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineplayer_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineapi"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
)

// cluster serves OpenShift's Machine API, and Cluster API as its newer releases do. older serves Cluster API as its older
// releases do: without v1beta2.
var cluster, older *localcluster.Cluster

func TestMain(m *testing.M) { os.Exit(withClusters(m.Run)) }

// withClusters starts control planes without our server: the client of the machine APIs needs none.
func withClusters(run func() int) int {
	if err := flag.Set("test.parallel", "10"); err != nil { // the tests wait most of the time
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cluster, older = startCluster(ctx), startCluster(ctx)
	err := errors.Join(machineapi.InstallOpenShift(ctx, cluster.Dynamic()),
		machineapi.InstallClusterAPI(ctx, cluster.Dynamic(), "v1beta1", "v1beta2"),
		machineapi.InstallClusterAPI(ctx, older.Dynamic(), "v1beta1"))
	if err != nil {
		panic(err)
	}
	code := run()
	if err := errors.Join(cluster.Stop(context.Background()), older.Stop(context.Background())); err != nil {
		panic(err)
	}
	return code
}

func startCluster(ctx context.Context) *localcluster.Cluster {
	started, err := localcluster.Start(ctx, localcluster.Options{Log: os.Stderr})
	if err != nil {
		panic(err)
	}
	return started
}

// world is a machine API in a cluster.
type world struct {
	*localcluster.Cluster
	api machineplayer.API
}

func openShift() world { return world{Cluster: cluster, api: machineplayer.OpenShift()} }

func v1beta1API() world { return world{Cluster: older, api: machineplayer.ClusterAPI("v1beta1")} }

func v1beta2API() world { return world{Cluster: cluster, api: machineplayer.ClusterAPI("v1beta2")} }

// TestReplace replaces a machine of each kind of owner.
func TestReplace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in           world
		add          func(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured
		wantStrategy v1beta1.ReplacementStrategy
	}{
		"openshift-set":           {in: openShift(), add: set, wantStrategy: v1beta1.SurgeFirst},
		"openshift-plane":         {in: openShift(), add: plane, wantStrategy: v1beta1.DeleteFirst},
		"capi-v1beta1-set":        {in: v1beta1API(), add: set, wantStrategy: v1beta1.SurgeFirst},
		"capi-v1beta1-plane":      {in: v1beta1API(), add: plane, wantStrategy: v1beta1.DeleteFirst},
		"capi-v1beta2-deployment": {in: v1beta2API(), add: deployment, wantStrategy: v1beta1.SurgeFirst},
		"capi-v1beta2-plane":      {in: v1beta2API(), add: plane, wantStrategy: v1beta1.DeleteFirst},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			player := test.in.start(t, name)
			owner := test.add(player, t)
			all, err := player.Machines(t.Context(), owner)
			if err != nil {
				t.Fatal(err)
			}
			r := test.in.begin(t, all[0])
			if r.stored.Strategy != test.wantStrategy || r.stored.Owner.UID != owner.GetUID() {
				t.Fatalf("strategy %s of %v, want %s of %s", r.stored.Strategy, r.stored.Owner, test.wantStrategy, owner.GetName())
			}
			r.run(t, v1beta1.StepReplaced)
			player.WaitForNodes(t, owner, machineCount)
			if got := player.Deleted(); !slices.Equal(got, []string{all[0].GetName()}) {
				t.Errorf("machines %v were deleted, want %s alone", got, all[0].GetName())
			}
			if got := player.Drained(); len(got) > 0 {
				t.Errorf("the nodes of machines %v were drained a second time", got)
			}
			if got, err := player.Replicas(t.Context(), owner); got != machineCount || err != nil {
				t.Errorf("%d replicas (%v), want %d", got, err, machineCount)
			}
		})
	}
}

// TestUndo takes the added machine away that never becomes a node, and says what that machine says.
func TestUndo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in  world
		add func(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured
	}{
		"openshift":    {in: openShift(), add: set},
		"capi-v1beta1": {in: v1beta1API(), add: deployment},
		"capi-v1beta2": {in: v1beta2API(), add: set},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			player := test.in.start(t, "undo-"+name)
			owner := test.add(player, t)
			all, err := player.Machines(t.Context(), owner)
			if err != nil {
				t.Fatal(err)
			}
			player.FailNext()
			r := test.in.begin(t, all[0])
			r.timeout = 5 * time.Second
			r.run(t, v1beta1.StepGivenUp)
			if !strings.Contains(r.stored.Failure, machineplayer.Failure) {
				t.Errorf("%q does not say %q", r.stored.Failure, machineplayer.Failure)
			}
			player.WaitForNodes(t, owner, machineCount)
			left, err := player.Machines(t.Context(), owner)
			if err != nil || !slices.ContainsFunc(left, func(machine *unstructured.Unstructured) bool { return machine.GetUID() == all[0].GetUID() }) {
				t.Errorf("machine %s is gone (%v)", all[0].GetName(), err)
			}
		})
	}
}

// machineCount is how many machines an owner has. A ControlPlaneMachineSet has no fewer.
const machineCount = 3

func set(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured {
	return p.AddSet(t, "set", machineCount)
}

func plane(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured {
	return p.AddControlPlane(t, "plane", machineCount)
}

func deployment(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured {
	return p.AddDeployment(t, "deployment", machineCount)
}

// start plays the machine API in a namespace of its own.
func (w world) start(t *testing.T, name string) *machineplayer.Player {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "player-" + name}}
	if _, err := w.Client().CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return machineplayer.Start(t, w.Cluster, namespace.Name, w.api)
}

// replacing is a replacement that is under way.
type replacing struct {
	in      world
	client  *machines.Client
	stored  v1beta1.MachineReplacement
	timeout time.Duration
}

// begin finds the machine of its node, and begins to replace it.
func (w world) begin(t *testing.T, machine *unstructured.Unstructured) *replacing {
	t.Helper()
	client := machines.New(w.Dynamic(), discovery.ToDiscoveryInterfaceWithContext(w.Client().Discovery()), clock.RealClock{})
	nodeName, _, _ := unstructured.NestedString(machine.Object, "status", "nodeRef", "name")
	node, err := w.Client().CoreV1().Nodes().Get(t.Context(), nodeName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := client.Find(t.Context(), node)
	if err != nil || found.UID != machine.GetUID() {
		t.Fatalf("found machine %s (%v), want %s", found.Name, err, machine.GetName())
	}
	owner, kind, err := client.OwnerOf(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	begun, why := replacement.Begin(replacement.Wish{Machine: found, Owner: owner, OwnerKind: kind}, time.Now())
	if begun == nil {
		t.Fatal(why)
	}
	return &replacing{in: w, client: client, stored: *begun, timeout: time.Minute}
}

// run goes on until the replacement has ended. The node counts as drained.
func (r *replacing) run(t *testing.T, want v1beta1.ReplacementStep) {
	t.Helper()
	last := replacement.Verdict{}
	err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		facts, err := r.client.Look(ctx, machines.Question{Replacement: r.stored, Event: "event", NodeReady: r.in.nodeReady(ctx)})
		if err != nil {
			return false, err
		}
		stand := replacement.Stand{Replacement: r.stored, Event: "event", Timeout: r.timeout, MayDelete: true}
		last = replacement.Next(stand, facts, time.Now())
		r.stored = last.Replacement
		if err := r.client.Do(ctx, r.stored, last.Act); err != nil && !errors.Is(err, machines.ErrChanged) {
			return false, err
		}
		return replacement.Ended(r.stored.Step), nil
	})
	if err != nil || r.stored.Step != want {
		t.Fatalf("step %s (%v), waits for %q, failure %q; want %s", r.stored.Step, err, last.WaitingFor, r.stored.Failure, want)
	}
}

// nodeReady reads whether a node is Ready.
func (w world) nodeReady(ctx context.Context) func(string) bool {
	return func(name string) bool {
		node, err := w.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return err == nil && slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
			return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
		})
	}
}
