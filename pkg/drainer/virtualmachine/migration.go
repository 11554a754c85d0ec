// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// migrations is the resource of the VirtualMachineInstanceMigrations.
var migrations = schema.GroupVersionResource{Group: group, Version: "v1", Resource: "virtualmachineinstancemigrations"}

// The phases of a migration that decide something here. In all others, it runs.
const (
	phaseUnset     = ""
	phasePending   = "Pending"
	phaseSucceeded = "Succeeded"
	phaseFailed    = "Failed"
)

// migration is what is kept of a VirtualMachineInstanceMigration.
type migration struct {
	metav1.ObjectMeta
	// machine is the name of the VirtualMachineInstance, in the migration's namespace.
	machine string
	phase   string
	// current is what its own status says. Older releases of KubeVirt say it only in the machine's.
	current progress
}

func newMigration(from *unstructured.Unstructured) *migration {
	return &migration{
		ObjectMeta: identity(from),
		machine:    text(from, "spec", "vmiName"),
		phase:      text(from, "status", "phase"),
		current:    progressOf(from),
	}
}

func (m *migration) of() types.NamespacedName {
	return types.NamespacedName{Namespace: m.Namespace, Name: m.machine}
}

// ended says whether the migration has succeeded or failed.
func (m *migration) ended() bool { return m.phase == phaseSucceeded || m.phase == phaseFailed }

// waits says whether KubeVirt has not begun the migration yet.
func (m *migration) waits() bool { return m.phase == phaseUnset || m.phase == phasePending }

// newer says whether the migration counts more than the other one of its machine: one that has not
// ended before one that has, and else the one that was created later.
func (m *migration) newer(other *migration) bool {
	switch {
	case other == nil:
		return true
	case m.ended() != other.ended():
		return other.ended()
	case !m.CreationTimestamp.Equal(&other.CreationTimestamp):
		return other.CreationTimestamp.Before(&m.CreationTimestamp)
	default:
		return m.Name > other.Name
	}
}

// progressOn is what is known of the migration: what it says itself, or what its machine says of it.
func (m *migration) progressOn(of *machine) progress {
	known := m.current
	if of.current.migration == m.UID {
		known.target = cmp.Or(known.target, of.current.target)
		known.whyNotDone = cmp.Or(known.whyNotDone, of.current.whyNotDone)
	}
	return known
}
