// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"sync"

	"k8s.io/utils/keymutex"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// creationLocks is on how many nodes creates can be counted and stored at the same time. Two nodes may share
// a lock. It is held only while the store is asked, never during admission by webhooks.
const creationLocks = 256

// AdmitBeside says whether a new hold may be beside the other holds on its node. No other hold is created on
// the node meanwhile.
type AdmitBeside func(hold *v1beta1.NodeMaintenance, others []v1beta1.NodeMaintenance) error

// creation is the create of one hold. From when the holds on the node are counted until the new one is
// stored, no other create counts them. So the limits are exact.
type creation struct {
	locks keymutex.KeyMutex
	// locked is the key of the lock that is held; empty if none is.
	locked string
	// member is the lock of all holds on members of the control plane, while it is held; else nil.
	member *sync.Mutex
	// beside is a further check of the new hold; nil when there is none.
	beside AdmitBeside
	// others are the other holds on the node.
	others []v1beta1.NodeMaintenance
	// warning is what the creator is to be told of the control plane; empty when nothing.
	warning string
}

// newCreationLocks returns the locks that all creations of one storage share.
func newCreationLocks() keymutex.KeyMutex { return keymutex.NewHashed(creationLocks) }

// begin waits until no other new hold on the node is being stored.
func (c *creation) begin(hold *v1beta1.NodeMaintenance) {
	c.locked = hold.Spec.NodeName
	c.locks.LockKey(c.locked)
}

// beginMember waits until no other new hold on a member of the control plane is being stored, whatever its node. It
// comes after begin.
func (c *creation) beginMember(lock *sync.Mutex) {
	lock.Lock()
	c.member = lock
}

// end lets the next one begin. It may be called more than once.
func (c *creation) end() {
	if c.member != nil {
		c.member.Unlock()
		c.member = nil
	}
	if c.locked != "" {
		_ = c.locks.UnlockKey(c.locked) // it never fails
		c.locked = ""
	}
}
