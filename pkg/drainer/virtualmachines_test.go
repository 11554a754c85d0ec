// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

var (
	machinesResource   = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"}
	migrationsResource = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstancemigrations"}
)

// withMachine is a cluster with a virtual machine, whose webhook refuses evictions, and whose own budget
// never has room.
func withMachine(kinds *dynamicfake.FakeDynamicClient) func(t *testing.T) *cluster {
	return func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(),
			drainertest.Pod{Name: "vm", App: "vm", Change: drainertest.Launcher("vm")}.Object(),
			drainertest.Budget{Name: "own", App: "vm", Desired: 1, Healthy: 1, Expected: 1}.Object())
		c.RefuseEviction("vm", drainertest.WebhookRefusal(http.StatusTooManyRequests))
		c.config.Dynamic = kinds
		return c
	}
}

func newKinds(objects ...runtime.Object) *dynamicfake.FakeDynamicClient {
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		machinesResource: "VirtualMachineInstanceList", migrationsResource: "VirtualMachineInstanceMigrationList",
	}, objects...)
}

func machineKind(kind, name string, spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubevirt.io/v1", "kind": kind,
		"metadata": map[string]any{"namespace": drainertest.Namespace, "name": name, "uid": string(drainertest.UID(name))},
		"spec":     spec, "status": status,
	}}
}

// vm is the machine; migratable is the status of its condition LiveMigratable.
func vm(migratable, evacuating string) *unstructured.Unstructured {
	return machineKind("VirtualMachineInstance", "vm", map[string]any{"evictionStrategy": "LiveMigrate"}, map[string]any{
		"nodeName": drainertest.NodeName, "evacuationNodeName": evacuating,
		"conditions": []any{map[string]any{"type": "LiveMigratable", "status": migratable, "reason": "Disk", "message": "not shared"}},
	})
}

func migrationOf(phase string) *unstructured.Unstructured {
	move := machineKind("VirtualMachineInstanceMigration", "move", map[string]any{"vmiName": "vm"}, map[string]any{
		"phase": phase, "migrationState": map[string]any{"targetNode": "node-x", "failureReason": "target is gone"},
	})
	move.SetCreationTimestamp(metav1.Now())
	return move
}

func (c *cluster) wantMessage(reason v1beta1.BlockerReason, permanent bool, message string) {
	c.t.Helper()
	want := []v1beta1.DrainBlocker{{
		Pod: drainertest.Namespace + "/vm", Reason: reason, Object: "VirtualMachineInstance/default/vm", Permanent: permanent, Message: message,
	}}
	if diff := cmp.Diff(want, c.hold("a").Status.Blockers); diff != "" {
		c.t.Errorf("blockers (-want +got):\n%s", diff)
	}
}

func TestVirtualMachineMigrates(t *testing.T) {
	kinds := newKinds(vm("True", ""))
	inCluster(t, withMachine(kinds), func(c *cluster) {
		put := func(resource schema.GroupVersionResource, object *unstructured.Unstructured) {
			c.t.Helper()
			objects := kinds.Resource(resource).Namespace(drainertest.Namespace)
			if _, err := objects.Update(t.Context(), object, metav1.UpdateOptions{}); err != nil {
				if _, err = objects.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
					c.t.Fatal(err)
				}
			}
			c.wait(2 * time.Second) // statuses are written once a second
		}
		if got := kinds.Actions(); len(got) > 0 {
			t.Fatalf("requests before a machine is to leave: %v", got)
		}
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantEvictions(map[string]int{"vm": 1})
		put(machinesResource, vm("True", drainertest.NodeName))
		c.wantMessage(v1beta1.BlockerVirtualMachineMigrating, false, "waiting for KubeVirt to begin the migration")
		put(migrationsResource, migrationOf("Running"))
		c.wait(10 * time.Minute)
		c.wantMessage(v1beta1.BlockerVirtualMachineMigrating, false, "migrating to node-x (Running)")
		c.wantEvictions(map[string]int{"vm": 1})

		put(migrationsResource, migrationOf("Failed"))
		c.wantMessage(v1beta1.BlockerVirtualMachineMigrating, false,
			"the last migration (move) to node-x failed: target is gone: KubeVirt tries it again; see kubectl describe vmim move")
		c.wait(20 * time.Second)
		c.wantEvictions(map[string]int{"vm": 5}) // at once, and 2, 4, 8 s later each, and a bit; the next one is 16 s later

		put(machinesResource, vm("False", drainertest.NodeName))
		c.wait(10 * time.Minute)
		c.wantMessage(v1beta1.BlockerVirtualMachineNotMigratable, true, "not migratable: Disk: not shared: change what the reason names, or shut the machine down")
		c.wantEvictions(map[string]int{"vm": 5})

		c.RefuseEviction("vm", nil)
		c.Remove(drainertest.Budget{Name: "own"}.Object())
		put(machinesResource, vm("True", ""))
		c.wantEvictions(map[string]int{"vm": 6})
		requests := len(kinds.Actions())
		c.finish("vm")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		put(machinesResource, vm("True", "other"))
		c.wait(10 * time.Minute)
		for _, action := range kinds.Actions()[requests:] {
			if action.GetVerb() == "list" || action.GetVerb() == "watch" {
				t.Errorf("the machines are read after the last has left: %v", action)
			}
		}
	})
}

// The pod of a machine that would be stopped is not evicted before it is known that it migrates: at the
// beginning, and after a restart.
func TestMachinesAreKnownBeforeTheFirstEviction(t *testing.T) {
	stops := machineKind("VirtualMachineInstance", "vm", map[string]any{"evictionStrategy": "None"}, map[string]any{"nodeName": drainertest.NodeName})
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "vm", App: "vm", Change: drainertest.Launcher("vm")}.Object())
		c.config.Dynamic = newKinds(stops, migrationOf("Running"))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"vm": 0})
		c.wantMessage(v1beta1.BlockerVirtualMachineMigrating, false, "migrating to node-x (Running)")
		c.restart(nil)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"vm": 0})
	})
}

// A server that is not told what becomes of the machines waits only for a moment.
func TestEvictionsDoNotWaitForMachinesForLong(t *testing.T) {
	kinds := newKinds()
	kinds.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("down") })
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "vm", Change: drainertest.Launcher("vm")}.Object())
		c.config.Dynamic = kinds
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(3 * time.Second)
		c.wantEvictions(map[string]int{"vm": 0})
		c.wait(3 * time.Second)
		c.wantEvictions(map[string]int{"vm": 1})
	})
}

// While a gate has the node wait in the middle of a drain, perhaps for days, its machines are not watched.
func TestMachinesAreNotWatchedWhileTheNodeWaits(t *testing.T) {
	kinds := newKinds(vm("True", drainertest.NodeName))
	var gate *fakeGate
	inCluster(t, func(t *testing.T) *cluster {
		c := withMachine(kinds)(t)
		gate = &fakeGate{cluster: c}
		c.config.Gates = []Gate{gate}
		return c
	}, func(c *cluster) {
		stopped := make(chan struct{}, 10)
		kinds.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) {
			return true, &watchThatTells{Interface: watch.NewFake(), stopped: stopped}, nil
		})
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(10 * time.Second)
		if len(stopped) > 0 {
			t.Fatal("the watch ended while the node is drained")
		}
		gate.answer(forTurn(0), nil)
		c.wait(10 * time.Minute)
		if len(stopped) == 0 {
			t.Error("the watch goes on while the node waits")
		}
	})
}

// watchThatTells tells when it is stopped.
type watchThatTells struct {
	watch.Interface
	stopped chan<- struct{}
}

func (w *watchThatTells) Stop() {
	w.stopped <- struct{}{}
	w.Interface.Stop()
}
