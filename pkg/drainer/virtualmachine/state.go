// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import "k8s.io/apimachinery/pkg/types"

// States are what becomes of the machines of pods, by UID of the pod. Pods of which nothing is known
// are not in it.
type States map[types.UID]State

// State is what becomes of the virtual machine of one pod.
type State struct {
	// Phase is how far its move has come.
	Phase Phase
	// Object is the VirtualMachineInstance, as kind/namespace/name.
	Object string
	// Message says it in words, and what a person can do about it.
	Message string
	// Doubtful says that KubeVirt's default for the cluster decides whether the machine has to migrate.
	// The state then counts only once the webhook has refused an eviction.
	Doubtful bool
}

// Phase is how far the move of a virtual machine has come.
type Phase string

const (
	// Unknown means that nothing is known that would decide anything: the pod is evicted as any other.
	Unknown Phase = ""
	// Stops means that an eviction stops the machine.
	Stops Phase = "Stops"
	// Migrates means that an eviction has the machine migrated.
	Migrates Phase = "Migrates"
	// Waiting means that KubeVirt knows that it has to migrate the machine, and has not begun yet.
	Waiting Phase = "Waiting"
	// Migrating means that the machine is migrating to another node.
	Migrating Phase = "Migrating"
	// Arriving means that the machine is migrating to this node.
	Arriving Phase = "Arriving"
	// Failed means that the last migration has failed. KubeVirt tries it again.
	Failed Phase = "Failed"
	// NotMigratable means that the machine has to migrate, and cannot.
	NotMigratable Phase = "NotMigratable"
)

// Moves says whether an eviction would do nothing for the machine, since KubeVirt moves it, or is
// about to.
func (s State) Moves() bool { return s.Phase == Waiting || s.Phase == Migrating || s.Phase == Arriving }

// Survives says whether the machine is moved, so that nothing of it is lost.
func (s State) Survives() bool { return s.Phase == Migrates || s.Phase == Failed || s.Moves() }

// Pointless says whether an eviction would only be refused.
func (s State) Pointless() bool { return s.Moves() || (s.Phase == NotMigratable && !s.Doubtful) }

// Stuck says whether the machine has to migrate, and cannot. refused says that the webhook has refused
// an eviction.
func (s State) Stuck(refused bool) bool { return s.Phase == NotMigratable && (refused || !s.Doubtful) }
