// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const sharedDisk = "cannot migrate VMI: PVC disk-a is not shared"

// configured is the status.migrationState of a machine that tells KubeVirt's limits.
func configured(perNode, perCluster int64) map[string]any {
	return map[string]any{"migrationConfiguration": map[string]any{
		"parallelOutboundMigrationsPerNode": perNode, "parallelMigrationsPerCluster": perCluster,
	}}
}

func TestState(t *testing.T) {
	marked := vm{strategy: "LiveMigrate", migratable: "True", evacuating: "n"}
	two := []vmim{{name: "x", of: "b", phase: "Running"}, {name: "y", of: "c", phase: "Scheduling"}}
	tests := map[string]struct {
		machine    vm
		others     []vm
		migrations []vmim
		pod        *corev1.Pod
		want       State
	}{
		"strategy None": {
			machine: vm{strategy: "None", migratable: "True"},
			want:    State{Phase: Stops, Message: "its virtual machine is stopped (evictionStrategy None)"},
		},
		"strategy None, marked before it was set": {
			machine: vm{strategy: "None", migratable: "True", evacuating: "n"},
			want:    State{Phase: Stops, Message: "its virtual machine is stopped (evictionStrategy None)"},
		},
		"no strategy, migratable: the cluster's default decides": {machine: vm{migratable: "True"}},
		"no strategy, not migratable": {
			machine: vm{migratable: "False", reason: "DisksNotLiveMigratable", message: sharedDisk},
			want: State{
				Phase: NotMigratable, Doubtful: true, Message: "not migratable: DisksNotLiveMigratable: " + sharedDisk + wayOut,
			},
		},
		"LiveMigrate": {
			machine: vm{strategy: "LiveMigrate", migratable: "True"},
			want:    State{Phase: Migrates, Message: "KubeVirt migrates its virtual machine"},
		},
		"LiveMigrate, not migratable": {
			machine: vm{strategy: "LiveMigrate", migratable: "False", reason: "DisksNotLiveMigratable", message: sharedDisk},
			want:    State{Phase: NotMigratable, Message: "not migratable: DisksNotLiveMigratable: " + sharedDisk + wayOut},
		},
		"LiveMigrate, not migratable, without a reason": {
			machine: vm{strategy: "LiveMigrate", migratable: "False", message: "no"},
			want:    State{Phase: NotMigratable, Message: "not migratable: no" + wayOut},
		},
		"LiveMigrate, not decided yet": {machine: vm{strategy: "LiveMigrate"}},
		"LiveMigrateIfPossible, migratable": {
			machine: vm{strategy: "LiveMigrateIfPossible", migratable: "True"},
			want:    State{Phase: Migrates, Message: "KubeVirt migrates its virtual machine"},
		},
		"LiveMigrateIfPossible, not migratable": {
			machine: vm{strategy: "LiveMigrateIfPossible", migratable: "False", reason: "R"},
			want:    State{Phase: Stops, Message: "its virtual machine is stopped, since it is not migratable: R"},
		},
		"External, marked: its own controller acts": {machine: vm{strategy: "External", migratable: "True", evacuating: "n"}},
		"marked, nothing runs": {
			machine: marked, want: State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration"},
		},
		"marked by KubeVirt's default": {
			machine: vm{migratable: "True", evacuating: "n"},
			want:    State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration"},
		},
		"marked for another node": {
			machine: vm{strategy: "LiveMigrate", migratable: "True", evacuating: "other"},
			want:    State{Phase: Migrates, Message: "KubeVirt migrates its virtual machine"},
		},
		"marked, and not migratable any more": {
			machine: vm{strategy: "LiveMigrate", migratable: "False", reason: "R", evacuating: "n"},
			want:    State{Phase: NotMigratable, Message: "not migratable: R" + wayOut},
		},
		"no slot on the node": {
			machine: marked, others: []vm{{name: "b", state: configured(2, 5)}, {name: "c"}}, migrations: two,
			want: State{Phase: Waiting, Message: "waiting for a slot: 2 of 2 migrations leave the node"},
		},
		"no slot in the cluster": {
			machine: marked, others: []vm{{name: "b", node: "m", state: configured(2, 2)}, {name: "c", node: "o"}}, migrations: two,
			want: State{Phase: Waiting, Message: "waiting for a slot: 2 of 2 migrations run in the cluster"},
		},
		"slots, limits known": {
			machine: marked, others: []vm{{name: "b", node: "m", state: configured(2, 5)}, {name: "c"}}, migrations: two,
			want: State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration"},
		},
		"limits not known": {
			machine: marked, others: []vm{{name: "b"}, {name: "c", node: "m"}}, migrations: two,
			want: State{Phase: Waiting, Message: "waiting for a slot: 1 migration leaves the node, 2 migrations run in the cluster"},
		},
		"its migration is Pending": {
			machine: marked, others: []vm{{name: "b", state: configured(2, 5)}, {name: "c"}},
			migrations: append([]vmim{{name: "z", phase: "Pending"}}, two...),
			want:       State{Phase: Waiting, Message: "waiting for a slot: 2 of 2 migrations leave the node"},
		},
		"its migration has no phase yet": {
			machine: marked, migrations: []vmim{{name: "z"}},
			want: State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration"},
		},
		"the target is prepared": {
			machine: marked, migrations: []vmim{{name: "z", phase: "Scheduling"}},
			want: State{Phase: Migrating, Message: "migrating: KubeVirt prepares the target (Scheduling)"},
		},
		"it runs, as its machine says": {
			machine: vm{
				strategy: "LiveMigrate", migratable: "True", evacuating: "n",
				state: map[string]any{"migrationUid": "uid-z", "targetNode": "node-x"},
			},
			migrations: []vmim{{name: "z", phase: "Running"}},
			want:       State{Phase: Migrating, Message: "migrating to node-x (Running)"},
		},
		"it runs, as it says itself": {
			machine: marked, migrations: []vmim{{name: "z", phase: "Running", state: map[string]any{"targetNode": "node-x"}}},
			want: State{Phase: Migrating, Message: "migrating to node-x (Running)"},
		},
		"what the machine says is about an older one": {
			machine: vm{
				strategy: "LiveMigrate", migratable: "True", evacuating: "n",
				state: map[string]any{"migrationUid": "uid-old", "targetNode": "node-x"},
			},
			migrations: []vmim{{name: "z", phase: "Scheduling"}, {name: "old", phase: "Failed", age: time.Hour}},
			want:       State{Phase: Migrating, Message: "migrating: KubeVirt prepares the target (Scheduling)"},
		},
		"somebody else migrates it": {
			machine:    vm{migratable: "True"},
			migrations: []vmim{{name: "z", phase: "Running", state: map[string]any{"targetNode": "node-x"}}},
			want:       State{Phase: Migrating, Message: "migrating to node-x (Running)"},
		},
		"it comes to this node": {
			machine:    vm{strategy: "LiveMigrate", migratable: "True", node: "m"},
			migrations: []vmim{{name: "z", phase: "Running", state: map[string]any{"targetNode": "n"}}},
			want:       State{Phase: Arriving, Message: "migrating to this node (Running): it is moved on when it has arrived"},
		},
		"it runs elsewhere, and its migration has not ended": {
			machine:    vm{strategy: "LiveMigrate", migratable: "True", node: "node-x"},
			migrations: []vmim{{name: "z", phase: "Running", state: map[string]any{"targetNode": "node-x"}}},
			want:       State{Phase: Migrating, Message: "migrating to node-x (Running)"},
		},
		"it has left": {
			machine:    vm{strategy: "LiveMigrate", migratable: "True", node: "node-x"},
			migrations: []vmim{{name: "z", phase: "Succeeded"}},
		},
		"it has failed": {
			machine: vm{
				strategy: "LiveMigrate", migratable: "True", evacuating: "n",
				state: map[string]any{"migrationUid": "uid-z", "targetNode": "node-x", "failureReason": "target pod is gone"},
			},
			migrations: []vmim{{name: "z", phase: "Failed"}, {name: "y", phase: "Succeeded", age: time.Hour}},
			want: State{
				Phase:   Failed,
				Message: "the last migration (z) to node-x failed: target pod is gone: KubeVirt tries it again; see kubectl describe vmim z",
			},
		},
		"it has failed, nobody says why": {
			machine: marked, migrations: []vmim{{name: "z", phase: "Failed"}},
			want: State{Phase: Failed, Message: "the last migration (z) failed: KubeVirt tries it again; see kubectl describe vmim z"},
		},
		"it has failed, and nobody wants it moved": {
			machine: vm{strategy: "LiveMigrate", migratable: "True"}, migrations: []vmim{{name: "z", phase: "Failed"}},
			want: State{Phase: Migrates, Message: "KubeVirt migrates its virtual machine"},
		},
		"another machine of the same name": {machine: vm{uid: "other", strategy: "None"}},
		"KubeVirt waits after a failure": {
			machine: marked,
			migrations: []vmim{
				{name: "z", phase: "Pending"},
				{name: "y", phase: "Failed", age: time.Minute, state: map[string]any{"failureReason": "boom"}},
				{name: "x", phase: "Succeeded", age: time.Hour},
			},
			want: State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration; the last one (y) failed: boom; " +
				"KubeVirt waits before it tries again"},
		},
		"it has failed before the node was cordoned": {
			machine: marked, migrations: []vmim{{name: "z", phase: "Failed", age: 24 * time.Hour}},
			want: State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration"},
		},
		"it has failed before the node was cordoned, and waits": {
			machine: marked, migrations: []vmim{{name: "z", phase: "Failed", age: 24 * time.Hour}, {name: "y", phase: "Pending"}},
			want: State{Phase: Waiting, Message: "waiting for KubeVirt to begin the migration"},
		},
		"a pod with the label of machines, and another controller": {
			machine: vm{strategy: "None"},
			pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", UID: "pod-a", Labels: map[string]string{"kubevirt.io": "virt-launcher"},
				Annotations: map[string]string{"kubevirt.io/domain": "a"},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "a", UID: "uid-a", Controller: new(true),
				}},
			}},
		},
		"no pod of a machine": {
			machine: vm{strategy: "None"},
			pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", UID: "pod-a", Annotations: map[string]string{"kubevirt.io/domain": "a"},
			}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			known := []*machine{newMachine(tc.machine.object())}
			for _, other := range tc.others {
				known = append(known, newMachine(other.object()))
			}
			var moves []*migration
			for _, m := range tc.migrations {
				moves = append(moves, newMigration(m.object()))
			}
			pod := tc.pod
			if pod == nil {
				pod = launcher("a")
			}
			want := States{}
			if tc.want.Phase != Unknown {
				tc.want.Object = "VirtualMachineInstance/default/a"
				want[pod.UID] = tc.want
			}
			if diff := cmp.Diff(want, newFacts(known, moves).states("n", []*corev1.Pod{pod}, time.Date(2025, 12, 31, 12, 0, 0, 0, time.UTC))); diff != "" {
				t.Errorf("states differ (-want +got):\n%s", diff)
			}
		})
	}
}

// The limits that were told last count, in whatever order the machines are looked at.
func TestLimitsThatWereToldLast(t *testing.T) {
	told := func(perNode, perCluster int64, started string) map[string]any {
		state := configured(perNode, perCluster)
		if started != "" {
			state["startTimestamp"] = started
		}
		return state
	}
	tests := map[string]struct {
		states []map[string]any
		want   string
	}{
		"by their age":      {states: []map[string]any{told(5, 10, "2026-01-01T00:00:00Z"), told(2, 5, "2026-01-02T00:00:00Z"), nil}, want: "2 of 2"},
		"of an unknown age": {states: []map[string]any{told(1, 5, ""), told(2, 5, "")}, want: "2 of 2"},
	}
	moves := []*migration{newMigration(vmim{name: "x", of: "a", phase: "Running"}.object()), newMigration(vmim{name: "y", of: "b", phase: "Running"}.object())}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			known := []*machine{newMachine(vm{name: "a"}.object()), newMachine(vm{name: "b"}.object())}
			for _, state := range tc.states {
				known = append(known, newMachine(vm{name: "old", state: state}.object()))
			}
			for range known {
				if got := newFacts(known, moves).waiting("n"); !strings.Contains(got, tc.want) {
					t.Errorf("%q, want %q in it", got, tc.want)
				}
				known = append(known[1:], known[0])
			}
		})
	}
}
