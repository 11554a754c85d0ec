// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package board

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// Kept is how many changes a watch can at least be behind. At most twice as many are kept. A state with
	// many holds and long reasons has some KiB.
	Kept = 1024
	// atOnce is how many changes somebody gets at once. A watch whose client does not read keeps no more from
	// being forgotten.
	atOnce = 64
)

// Change is what has become of the state of one node.
type Change struct {
	// Version is the version of the board since this change.
	Version int64
	// Before is nil if the node has come, and After if it has gone. They are not to be changed.
	Before, After *v1beta1.NodeState
}

// history has the last changes. Their versions are consecutive.
type history struct {
	// start is the version before the first of changes.
	start   int64
	changes []Change
	// next is closed at the next change.
	next chan struct{}
}

func newHistory(start int64) history { return history{start: start, next: make(chan struct{})} }

func (h *history) version() int64 { return h.start + int64(len(h.changes)) }

// add notes a change, and gives its version to the state after it.
func (h *history) add(before, after *v1beta1.NodeState) {
	if len(h.changes) == 2*Kept {
		h.start += Kept
		h.changes = slices.Clone(h.changes[Kept:])
	}
	version := h.version() + 1
	if after != nil {
		after.ResourceVersion = Format(version)
	}
	h.changes = append(h.changes, Change{Version: version, Before: before, After: after})
	close(h.next)
	h.next = make(chan struct{})
}

// clear forgets the changes, not their number.
func (h *history) clear() { h.start, h.changes = h.version(), nil }

// since returns a copy of the next changes.
func (h *history) since(version int64) ([]Change, <-chan struct{}, bool) {
	if version < h.start || version > h.version() {
		return nil, nil, false
	}
	later := h.changes[version-h.start:]
	return slices.Clone(later[:min(len(later), atOnce)]), h.next, true
}
