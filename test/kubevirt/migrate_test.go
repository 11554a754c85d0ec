// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubevirt

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
	"github.com/medik8s/maintenance-apiserver/test/kubevirt/standin"
)

// mostAsked is how often the pod of a machine may be evicted while it migrates: once to begin, perhaps once
// more until the watch has begun, and once when it has completed.
const mostAsked = 3

func TestMachinesMigrate(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 3)
	names := []string{"vm-1", "vm-2", "vm-3", "vm-4", "vm-5", "vm-6"}
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, names...)...)
	kubevirt.Hold()
	hold := pool.Create(t, pool.Hold("vms", pool.Nodes[0]))
	two := pool.WaitForHold(t, hold.Name, "two machines migrate, and four wait", func(nm *v1beta1.NodeMaintenance) bool {
		migrating, waiting := 0, 0
		for _, b := range nm.Status.Blockers {
			switch {
			case b.Message == fmt.Sprintf("migrating to %s (Running)", pool.Nodes[1]), b.Message == fmt.Sprintf("migrating to %s (Running)", pool.Nodes[2]):
				migrating++
			case b.Message == "waiting for a slot: 2 of 2 migrations leave the node":
				waiting++
			}
		}
		return migrating == 2 && waiting == 4
	})
	for _, b := range two.Status.Blockers {
		if b.Reason != v1beta1.BlockerVirtualMachineMigrating || b.Permanent || !strings.HasPrefix(b.Object, "VirtualMachineInstance/"+pool.Name+"/vm-") {
			t.Errorf("blocker %+v", b)
		}
	}
	kubevirt.Release()
	done := pool.WaitForHold(t, hold.Name, "all machines have left", env.Drained)
	if s := done.Status; s.EvictionPods != 6 || s.PendingPodCount != 0 || ptr.Deref(s.DrainProgress, 0) != 100 || len(s.Blockers) > 0 {
		t.Errorf("status after the drain: %+v", s)
	}
	if most := kubevirt.MostAtOnce(); most != standin.PerNode {
		t.Errorf("%d migrations left the node at a time, want %d", most, standin.PerNode)
	}
	wantMoved(t, kubevirt, mostAsked, names...)
}

// Older releases let further evictions of a machine pass, and leave it to their budget to refuse them.
func TestOlderRelease(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 2, standin.Lenient)
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, "vm-1", "vm-2")...)
	hold := pool.Create(t, pool.Hold("vms", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "all machines have left", env.Drained)
	wantMoved(t, kubevirt, mostAsked, "vm-1", "vm-2")
}

func TestNotMigratable(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 2)
	stuck := standin.Machine{Name: "vm-1", Node: pool.Nodes[0], Strategy: standin.LiveMigrate, NotMigratable: "PVC disk is not shared"}
	kubevirt.Run(t, stuck, named(pool.Nodes[0], standin.LiveMigrate, "vm-2")[0])
	hold := pool.Hold("vms", pool.Nodes[0])
	wantPlan(t, pool, hold)
	pool.Create(t, hold)
	was := pool.WaitForHold(t, hold.Name, "one machine cannot leave, and the other has left", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.PendingPodCount == 1 && blocked(v1beta1.BlockerVirtualMachineNotMigratable,
			"not migratable: DisksNotLiveMigratable: PVC disk is not shared", "or shut the machine down")(nm)
	})
	if !was.Status.Blockers[0].Permanent {
		t.Errorf("the blocker is not permanent: %+v", was.Status.Blockers[0])
	}
	asked := kubevirt.Asked("vm-1")
	kubevirt.SetMigratable(t, "vm-1")
	pool.WaitForHold(t, hold.Name, "the machine has left", env.Drained)
	wantMoved(t, kubevirt, asked+mostAsked, "vm-1", "vm-2")
}

// wantPlan wants the plan of the hold to say which machine is migrated, and which cannot be.
func wantPlan(t *testing.T, pool *env.Pool, hold *v1beta1.NodeMaintenance) {
	t.Helper()
	dry, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Create(t.Context(), hold, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range dry.Status.Plan.Pods {
		switch {
		case strings.Contains(pod.Pod, "vm-1"):
			if pod.Blocker == nil || !strings.HasPrefix(pod.Blocker.Message, "not migratable: ") || !pod.Blocker.Permanent {
				t.Errorf("the plan says of the machine that cannot migrate: %+v", pod)
			}
		case pod.Message != "KubeVirt migrates its virtual machine" || pod.Blocker != nil:
			t.Errorf("the plan says of the machine that migrates: %+v", pod)
		}
	}
	if stuck := dry.Status.Plan.PermanentlyBlockedPods; len(stuck) != 1 || len(dry.Status.Plan.Pods) != 2 {
		t.Errorf("the plan has %d pods, stuck for good are %v", len(dry.Status.Plan.Pods), stuck)
	}
}

func TestMigrationFails(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 2)
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, "vm-1")...)
	kubevirt.FailNext()
	kubevirt.Hold() // the second waits until the failure was seen
	hold := pool.Create(t, pool.Hold("vms", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "the failure is said", blocked(v1beta1.BlockerVirtualMachineMigrating,
		"waiting for ", "; the last one (kubevirt-evacuation-", " failed: the target ran out of memory; KubeVirt waits before it tries again"))
	kubevirt.Release()
	pool.WaitForHold(t, hold.Name, "the machine has left", env.Drained)
	wantMoved(t, kubevirt, mostAsked+3, "vm-1")
}

func TestHoldIsDeleted(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 2)
	names := []string{"vm-1", "vm-2", "vm-3"}
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, names...)...)
	kubevirt.Hold()
	hold := pool.Create(t, pool.Hold("vms", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "a machine waits", blocked(v1beta1.BlockerVirtualMachineMigrating, "waiting for a slot"))
	pool.Delete(t, hold.Name)
	asked := [3]int{}
	for i, name := range names {
		asked[i] = kubevirt.Asked(name)
	}
	if node := pool.Node(t, pool.Nodes[0]); node.Spec.Unschedulable {
		t.Error("the node was not given back")
	}
	env.Always(t, 3*time.Second, "nothing is evicted any more", func(context.Context) string {
		for i, name := range names {
			if got := kubevirt.Asked(name); got != asked[i] {
				return fmt.Sprintf("machine %s was evicted %d times more", name, got-asked[i])
			}
		}
		return ""
	})
}

func TestOnlyMachinesLeave(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).Deployment("web", 1, localcluster.OnNode(pool.Nodes[0])))
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, "vm-1")...)
	hold := pool.Hold("vms", pool.Nodes[0])
	hold.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubevirt.io": "virt-launcher"}}
	pool.Create(t, hold)
	pool.WaitForHold(t, hold.Name, "the machine has left", env.Drained)
	wantMoved(t, kubevirt, mostAsked, "vm-1")
	pods, err := pool.PodsOn(t.Context(), pool.Nodes[0])
	if err != nil || len(pods) != 1 || !strings.HasPrefix(pods[0].Name, "web-") || pods[0].DeletionTimestamp != nil {
		t.Errorf("pods on the node: %v, %v; want only web", pods, err)
	}
}

func TestMachinesThatStop(t *testing.T) {
	t.Parallel()
	pool, kubevirt := start(t, 2)
	kubevirt.Run(t, append(named(pool.Nodes[0], standin.None, "vm-1"), append(named(pool.Nodes[0], "", "vm-2"),
		standin.Machine{Name: "vm-3", Node: pool.Nodes[0], Strategy: standin.LiveMigrateIfPossible, NotMigratable: "no"})...)...)
	hold := pool.Create(t, pool.Hold("vms", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "all machines have left", env.Drained)
	for _, machine := range []string{"vm-1", "vm-2", "vm-3"} {
		if kubevirt.Moved(machine) || kubevirt.Asked(machine) != 1 {
			t.Errorf("machine %s: migrated %t, evicted %d times; want stopped at once", machine, kubevirt.Moved(machine), kubevirt.Asked(machine))
		}
	}
}
