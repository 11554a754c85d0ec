// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import "math"

// Room says how much users may store, so that the server stays within its memory. It is Go's soft memory limit, in bytes,
// as of GOMEMLIMIT; zero: there is room for any amount. Decision 0033 has the measurements.
type Room int64

const (
	// defaultMemory is what a server without a limit is taken to have.
	defaultMemory Room = 4 << 30
	// baseMemory is for a server that stores nothing, and for the expressions that were compiled last.
	baseMemory Room = 210 << 20

	// nodeProfileMemory is what one NodeProfile takes at the peak, while all of them change.
	nodeProfileMemory = 80 << 10
	// compiledMemory is what a byte of a profile takes, compiled, and objectMemory a byte of another object in all caches.
	compiledMemory, objectMemory = 80, 16
)

// NewRoom returns the room in this much memory, as debug.SetMemoryLimit returns it.
func NewRoom(memoryLimit int64) Room {
	if memoryLimit <= 0 || memoryLimit == math.MaxInt64 {
		return defaultMemory
	}
	return Room(memoryLimit)
}

// The parts of the memory above the base, in 32nds. 6 are left for nodes and holds.
const (
	parts          = 32
	ofNodeProfiles = 20
	ofProfiles     = 4
	ofOtherObjects = 1
)

func (r Room) part(of, unit Room) int {
	if r <= 0 {
		return 0
	}
	return max(1, int((r-baseMemory)*of/parts/unit))
}

// NodeProfiles is how many NodeProfiles there may be.
func (r Room) NodeProfiles() int { return r.part(ofNodeProfiles, nodeProfileMemory) }

// ProfileBytes is how large all MaintenanceProfiles may be together, as they are stored.
func (r Room) ProfileBytes() int { return r.part(ofProfiles, compiledMemory) }

// ObjectBytes is how large all objects of another resource may be together, as they are stored.
func (r Room) ObjectBytes() int { return r.part(ofOtherObjects, objectMemory) }

// ForNodeProfiles is the room that so many NodeProfiles need.
func ForNodeProfiles(count int) Room {
	return baseMemory + Room(count)*nodeProfileMemory*parts/ofNodeProfiles
}
