// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"cmp"
	"time"

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

// newer says whether the migration was created after the other one; nil is older than any.
func (m *migration) newer(other *migration) bool {
	switch {
	case other == nil:
		return true
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

// failure is the reason why the migration failed, as far as it is known; empty if nobody says it.
func (m *migration) failure(of *machine) string {
	if why := m.progressOn(of).whyNotDone; why != "" {
		return ": " + why
	}
	return ""
}

// moves are the migrations of one machine that count.
type moves struct {
	// current is the newest that has not ended, and ended the newest that has; nil: none.
	current, ended *migration
}

func (m moves) with(another *migration) moves {
	switch {
	case another.ended() && another.newer(m.ended):
		m.ended = another
	case !another.ended() && another.newer(m.current):
		m.current = another
	}
	return m
}

// failed is the last migration if it has failed since then, and else nil. An older failure says nothing of
// what goes on now.
func (m moves) failed(since time.Time) *migration {
	if m.ended == nil || m.ended.phase != phaseFailed || m.ended.CreationTimestamp.Time.Before(since.Truncate(time.Second)) {
		return nil
	}
	return m.ended
}
