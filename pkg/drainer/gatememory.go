// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import "slices"

// MemoryGate is a Gate that takes nothing outside of this process, so that it knows what it holds. Of another gate it
// is thought that it may hold something for any node.
type MemoryGate interface {
	Gate
	// Holds says whether it holds something for the node of that name. If not, the API server need not be asked
	// whether a node is gone before Release is called for it.
	Holds(node string) bool
}

// mayHold says whether a gate may hold something for the node of that name.
func (g gates) mayHold(node string) bool {
	return slices.ContainsFunc(g, func(gate Gate) bool {
		remembers, inMemory := gate.(MemoryGate)
		return !inMemory || remembers.Holds(node)
	})
}
