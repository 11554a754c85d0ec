// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineplayer_test

import (
	"context"
	"errors"
	"os"
	"slices"
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

var cluster *localcluster.Cluster

func TestMain(m *testing.M) { os.Exit(withCluster(m.Run)) }

// withCluster starts a control plane without our server: the client of the machine APIs needs none.
func withCluster(run func() int) int {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var err error
	if cluster, err = localcluster.Start(ctx, localcluster.Options{Log: os.Stderr}); err != nil {
		panic(err)
	}
	err = errors.Join(machineapi.InstallOpenShift(ctx, cluster.Dynamic()),
		machineapi.InstallClusterAPI(ctx, cluster.Dynamic(), "v1beta1", "v1beta2"))
	if err != nil {
		panic(err)
	}
	code := run()
	if err := cluster.Stop(context.Background()); err != nil {
		panic(err)
	}
	return code
}

// TestReplace replaces a machine of each kind of owner.
func TestReplace(t *testing.T) {
	tests := map[string]struct {
		api          machineplayer.API
		add          func(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured
		wantStrategy v1beta1.ReplacementStrategy
	}{
		"openshift-set":     {api: machineplayer.OpenShift(), add: set, wantStrategy: v1beta1.SurgeFirst},
		"openshift-plane":   {api: machineplayer.OpenShift(), add: plane, wantStrategy: v1beta1.DeleteFirst},
		"capi-set-v1beta1":  {api: machineplayer.ClusterAPI("v1beta1"), add: set, wantStrategy: v1beta1.SurgeFirst},
		"capi-deployment":   {api: machineplayer.ClusterAPI("v1beta2"), add: deployment, wantStrategy: v1beta1.SurgeFirst},
		"capi-kubeadmplane": {api: machineplayer.ClusterAPI("v1beta2"), add: plane, wantStrategy: v1beta1.DeleteFirst},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			player := machineplayer.Start(t, cluster, namespaceOf(t, name), test.api)
			owner := test.add(player, t)
			all, err := player.Machines(t.Context(), owner)
			if err != nil {
				t.Fatal(err)
			}
			r := begin(t, all[0])
			if r.stored.Strategy != test.wantStrategy || r.stored.Owner.UID != owner.GetUID() {
				t.Fatalf("strategy %s of %v, want %s of %s", r.stored.Strategy, r.stored.Owner, test.wantStrategy, owner.GetName())
			}
			r.run(t, v1beta1.StepReplaced)
			player.WaitForNodes(t, owner, 2)
			if got := player.Deleted(); !slices.Equal(got, []string{all[0].GetName()}) {
				t.Errorf("machines %v were deleted, want %s alone", got, all[0].GetName())
			}
			if got := player.Drained(); len(got) > 0 {
				t.Errorf("the nodes of machines %v were drained a second time", got)
			}
			if got, err := player.Replicas(t.Context(), owner); got != 2 || err != nil {
				t.Errorf("%d replicas (%v), want 2", got, err)
			}
		})
	}
}

// TestUndo takes the added machine away that never becomes a node.
func TestUndo(t *testing.T) {
	t.Parallel()
	player := machineplayer.Start(t, cluster, namespaceOf(t, "undo"), machineplayer.ClusterAPI("v1beta2"))
	owner := deployment(player, t)
	all, err := player.Machines(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	player.FailNext()
	r := begin(t, all[0])
	r.timeout = 5 * time.Second
	r.run(t, v1beta1.StepGivenUp)
	player.WaitForNodes(t, owner, 2)
	left, err := player.Machines(t.Context(), owner)
	if err != nil || !slices.ContainsFunc(left, func(machine *unstructured.Unstructured) bool { return machine.GetUID() == all[0].GetUID() }) {
		t.Errorf("machine %s is gone (%v)", all[0].GetName(), err)
	}
}

func set(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured {
	return p.AddSet(t, "set", 2)
}

func plane(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured {
	return p.AddControlPlane(t, "plane", 2)
}

func deployment(p *machineplayer.Player, t *testing.T) *unstructured.Unstructured {
	return p.AddDeployment(t, "deployment", 2)
}

func namespaceOf(t *testing.T, name string) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "player-" + name}}
	if _, err := cluster.Client().CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// replacing is a replacement that is under way.
type replacing struct {
	client  *machines.Client
	stored  v1beta1.MachineReplacement
	timeout time.Duration
}

// begin finds the machine of its node, and begins to replace it.
func begin(t *testing.T, machine *unstructured.Unstructured) *replacing {
	t.Helper()
	client := machines.New(cluster.Dynamic(), discovery.ToDiscoveryInterfaceWithContext(cluster.Client().Discovery()), clock.RealClock{})
	nodeName, _, _ := unstructured.NestedString(machine.Object, "status", "nodeRef", "name")
	node, err := cluster.Client().CoreV1().Nodes().Get(t.Context(), nodeName, metav1.GetOptions{})
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
	begun, refusal := replacement.Begin(replacement.Wish{Machine: found, Owner: owner, OwnerKind: kind}, time.Now())
	if refusal != nil {
		t.Fatal(refusal.Message)
	}
	return &replacing{client: client, stored: *begun, timeout: time.Minute}
}

// run goes on until the replacement has ended. The node counts as drained.
func (r *replacing) run(t *testing.T, want v1beta1.ReplacementStep) {
	t.Helper()
	last := replacement.Verdict{}
	err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		facts, err := r.client.Look(ctx, machines.Question{Replacement: r.stored, Event: "event", NodeReady: nodeReady(ctx)})
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
func nodeReady(ctx context.Context) func(string) bool {
	return func(name string) bool {
		node, err := cluster.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return err == nil && slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
			return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
		})
	}
}
