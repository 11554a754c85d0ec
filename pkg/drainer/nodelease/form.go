// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"fmt"
	"strings"
)

// Form is what the leases of nodes look like: as one operator or another has them.
type Form string

const (
	// Off takes no leases.
	Off Form = "Off"
	// Medik8s is the form of the operators of medik8s: the lease of node worker-1 is node-worker-1 in the
	// namespace medik8s-leases, and is deleted when the node is given back.
	Medik8s Form = "Medik8s"
	// KubeVirt is the form of KubeVirt's node maintenance operator: the lease has the name of its node, in the
	// namespace node-maintenance. It stays when the node is given back, without a holder.
	KubeVirt Form = "KubeVirt"
)

// Forms are all forms.
func Forms() []Form { return []Form{Off, Medik8s, KubeVirt} }

// DefaultNamespace is the namespace of the leases if none is configured.
func (f Form) DefaultNamespace() string {
	if f == KubeVirt {
		return "node-maintenance"
	}
	return "medik8s-leases"
}

// prefix is what the name of a lease has before the name of its node.
func (f Form) prefix() string {
	if f == KubeVirt {
		return ""
	}
	return "node-"
}

// leaseOf is the name of the node's lease.
func (f Form) leaseOf(node string) string { return f.prefix() + node }

// nodeOf is the name of the node that a lease is for; false if it is not the lease of a node.
func (f Form) nodeOf(lease string) (string, bool) {
	node, found := strings.CutPrefix(lease, f.prefix())
	return node, found && node != ""
}

// The texts below are those of the operators, word for word: scripts look for them.

// held says that another holder has the lease.
func (f Form) held(by string) string {
	if f == KubeVirt {
		return "Can't update valid lease held by different owner"
	}
	return "can't update or invalidate the lease because it is held by different owner: " + by
}

// notObtained says that a lease that we never had was not obtained.
func (f Form) notObtained(why string, failures int32) string {
	if f == KubeVirt {
		return why
	}
	return fmt.Sprintf("failed to obtain a lease that is not owned by us : %s errorOnLeaseCount %d", why, failures)
}

// notExtended says that a lease that we had was not extended.
func (f Form) notExtended(why string, failures int32) string {
	if f == KubeVirt {
		return fmt.Sprintf("Failed to extend lease owned by us : %s errorOnLeaseCount %d", why, failures)
	}
	return fmt.Sprintf("failed to extend a lease that used to be owned by us, incrementing error on lease count: %s, errorOnLeaseCount: %d", why, failures)
}

// failed says that a lease that we had was given up.
func (f Form) failed(failures int32) string {
	return fmt.Sprintf("maintenance failed: lease could not be extended after %d attempts", failures)
}
