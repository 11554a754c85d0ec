// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// explain says what becomes of the machine of a pod on the node. current is its migration that has not
// ended, and failed is its last one if that has failed; nil if there is none.
func (f facts) explain(node string, of *machine, current, failed *migration) State {
	switch {
	case current != nil:
		return f.underWay(node, of, current, failed)
	case of.node != node:
		return State{} // it has left: its old pod is evicted as any other
	case of.evacuating == node && of.movable():
		return f.evacuating(node, of, failed)
	default:
		return planned(of)
	}
}

// underWay is the state of a machine with a migration that has not ended.
func (f facts) underWay(node string, of *machine, current, failed *migration) State {
	target := current.progressOn(of).target
	switch {
	case target == node:
		return State{Phase: Arriving, Message: fmt.Sprintf("migrating to this node (%s): it is moved on when it has arrived", current.phase)}
	case current.waits() && failed != nil:
		return State{Phase: Waiting, Message: fmt.Sprintf("%s; the last one (%s) failed%s; KubeVirt waits before it tries again",
			f.waiting(node), failed.Name, failed.failure(of))}
	case current.waits():
		return State{Phase: Waiting, Message: f.waiting(node)}
	case target == "":
		return State{Phase: Migrating, Message: fmt.Sprintf("migrating: KubeVirt prepares the target (%s)", current.phase)}
	default:
		return State{Phase: Migrating, Message: fmt.Sprintf("migrating to %s (%s)", target, current.phase)}
	}
}

// evacuating is the state of a machine that KubeVirt was asked to move, while no migration is under way.
func (f facts) evacuating(node string, of *machine, failed *migration) State {
	if failed == nil {
		return State{Phase: Waiting, Message: f.waiting(node)}
	}
	message := "the last migration (" + failed.Name + ")"
	if target := failed.progressOn(of).target; target != "" {
		message += " to " + target
	}
	message += " failed" + failed.failure(of)
	return State{Phase: Failed, Message: message + ": KubeVirt tries it again; see kubectl describe vmim " + failed.Name}
}

// waiting says what a machine waits for. It says only what was counted. The limits are known once
// KubeVirt has written them into the status of a machine that migrates.
func (f facts) waiting(node string) string {
	leaving := f.leaving[node]
	switch {
	case f.limits.perNode > 0 && leaving >= f.limits.perNode:
		return fmt.Sprintf("waiting for a slot: %d of %s leave the node", leaving, english.Plural(int(f.limits.perNode), "migration", ""))
	case f.limits.perCluster > 0 && f.running >= f.limits.perCluster:
		return fmt.Sprintf("waiting for a slot: %d of %d migrations run in the cluster", f.running, f.limits.perCluster)
	case f.limits.perNode == 0 && f.running > 0:
		return fmt.Sprintf("waiting for a slot: %s the node, %s in the cluster",
			english.Plural(int(leaving), "migration leaves", "migrations leave"), english.Plural(int(f.running), "migration runs", "migrations run"))
	default:
		return "waiting for KubeVirt to begin the migration"
	}
}

// planned is what an eviction does to a machine that KubeVirt was not asked to move yet.
func planned(of *machine) State {
	able, unable := of.migratable.status == "True", of.migratable.status == "False"
	switch {
	case of.strategy == strategyNone:
		return State{Phase: Stops, Message: "its virtual machine is stopped (evictionStrategy None)"}
	case of.strategy == strategyLiveMigrateIfPossible && unable:
		return State{Phase: Stops, Message: "its virtual machine is stopped, since it is " + of.migratable.why()}
	case of.strategy == strategyLiveMigrate && unable:
		return State{Phase: NotMigratable, Message: of.migratable.why() + wayOut}
	case of.strategy == "" && unable:
		return State{Phase: NotMigratable, Message: of.migratable.why() + wayOut, Doubtful: true}
	case able && (of.strategy == strategyLiveMigrate || of.strategy == strategyLiveMigrateIfPossible):
		return State{Phase: Migrates, Message: "KubeVirt migrates its virtual machine"}
	default:
		return State{}
	}
}

// movable says whether KubeVirt migrates the machine when it is asked to evacuate it.
func (m *machine) movable() bool {
	return m.migratable.status == "True" && m.strategy != strategyNone && m.strategy != strategyExternal
}

// wayOut is what helps a machine that has to migrate, and cannot.
const wayOut = ": change what the reason names, or shut the machine down"

// why says why the machine is not migratable, in KubeVirt's words.
func (c condition) why() string {
	words := strings.TrimSpace(strings.TrimSuffix(c.reason+": "+c.message, ": "))
	return "not migratable: " + strings.TrimPrefix(words, ": ")
}
