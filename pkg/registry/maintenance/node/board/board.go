// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package board keeps the states of all nodes in memory, and what has become of them lately, so that
// they can be listed and watched. It is told of every change, and does no I/O.
package board

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node"
)

// Board has the state of every node. Each change of a state gives it a new version, one higher than the
// last. Versions are the resourceVersions of NodeStates. They mean something only to this process: they
// begin at the time when it made the board, in nanoseconds, so that those of an earlier process are
// lower. A Board may be used by several goroutines.
type Board struct {
	findNode func(name string) (*corev1.Node, error)

	mu sync.Mutex
	// states are sorted by name. None of them is ever changed: it is replaced.
	states  []*v1beta1.NodeState
	holds   holdings
	history history
}

// New returns an empty board. node returns the node of that name, as it is now; nil when there is none.
func New(now time.Time, node func(name string) (*corev1.Node, error)) *Board {
	return &Board{findNode: node, holds: newHoldings(), history: newHistory(now.UnixNano())}
}

// Fill puts the states of these nodes on the board, with the holds as the store had them at that
// revision. It is to be called first: nobody may watch yet, since it is no change.
func (b *Board) Fill(nodes []string, holds []v1beta1.NodeMaintenance, revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds.replaceAll(holds, revision)
	for _, name := range nodes {
		b.refresh(name)
	}
	b.history.clear()
}

// NodeChanged tells that the node has come, changed or gone.
func (b *Board) NodeChanged(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refresh(name)
}

// HoldStored tells of a hold that was created or changed, and HoldDeleted of one that is gone. The
// resourceVersion of the hold is that of the change. What the board knows already, it ignores.
func (b *Board) HoldStored(hold *v1beta1.NodeMaintenance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holds.put(hold) {
		b.refresh(hold.Spec.NodeName)
	}
}

// HoldDeleted is the counterpart of HoldStored.
func (b *Board) HoldDeleted(hold *v1beta1.NodeMaintenance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holds.remove(hold) {
		b.refresh(hold.Spec.NodeName)
	}
}

// Holds tells which holds the store had at that revision.
func (b *Board) Holds(holds []v1beta1.NodeMaintenance, revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range b.holds.replaceAll(holds, revision) {
		b.refresh(name)
	}
}

// HoldsOn tells which holds on one node the store had at that revision.
func (b *Board) HoldsOn(name string, holds []v1beta1.NodeMaintenance, revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holds.replace(name, holds, revision) {
		b.refresh(name)
	}
}

// Revision is a revision of the store: the board knows every change of a hold up to it.
func (b *Board) Revision() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holds.seen
}

// States returns the states of all nodes, sorted by name, and the version of the board. The caller does
// not change the states.
func (b *Board) States() ([]*v1beta1.NodeState, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.states), b.history.version()
}

// State returns the state of the node, nil when there is none. The caller does not change it.
func (b *Board) State(name string) *v1beta1.NodeState {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i, found := b.find(name); found {
		return b.states[i]
	}
	return nil
}

// Since returns changes after that version, oldest first: some of them, and none only if there is none.
// next is closed when there is a change that is later than all that the board knows. known is false if the
// board no longer knows all changes after the version, or has never had that version.
func (b *Board) Since(version int64) (changes []Change, next <-chan struct{}, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.history.since(version)
}

// refresh works out the state of the node anew. While the nodes are not known, it stays as it is.
func (b *Board) refresh(name string) {
	found, err := b.findNode(name)
	if err != nil {
		return
	}
	var before, after *v1beta1.NodeState
	i, had := b.find(name)
	if had {
		before = b.states[i]
	}
	if found != nil {
		state := node.State(found, b.holds.on(name))
		after = &state
	}
	if equal(before, after) {
		return
	}
	b.history.add(before, after)
	switch {
	case after == nil:
		b.states = slices.Delete(b.states, i, i+1)
	case had:
		b.states[i] = after
	default:
		b.states = slices.Insert(b.states, i, after)
	}
}

func (b *Board) find(name string) (int, bool) {
	return slices.BinarySearchFunc(b.states, name, func(state *v1beta1.NodeState, name string) int {
		return cmp.Compare(state.Name, name)
	})
}

// equal says whether both show the same, whatever their versions.
func equal(a, b *v1beta1.NodeState) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && maps.Equal(a.Labels, b.Labels) && apiequality.Semantic.DeepEqual(a.Status, b.Status)
}

// Format writes a version as a resourceVersion.
func Format(version int64) string { return strconv.FormatInt(version, 10) }
