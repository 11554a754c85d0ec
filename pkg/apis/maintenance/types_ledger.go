// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// LedgerName is the name of the only MaintenanceLedger.
const LedgerName = "cluster"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceLedger is the server's record of which nodes were admitted to maintenance. There is one,
// named cluster, while there is a MaintenancePolicy or a MaintenanceProfile, or something is left to record.
// Only the server writes it.
type MaintenanceLedger struct {
	metav1.TypeMeta
	// Standard object's metadata.
	metav1.ObjectMeta

	// spec is the record.
	Spec MaintenanceLedgerSpec

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	// +k8s:conversion-gen=false
	Unknown UnknownFields
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceLedgerList is a list of MaintenanceLedgers.
type MaintenanceLedgerList struct {
	metav1.TypeMeta
	// Standard list metadata.
	metav1.ListMeta

	// items are the MaintenanceLedgers.
	Items []MaintenanceLedger
}

// MaintenanceLedgerSpec is which nodes were admitted, and what limits how many more are.
type MaintenanceLedgerSpec struct {
	// epoch counts the terms of leaders. Each leader raises it before anything else, so that a write of
	// the one before fails.
	Epoch int64
	// entries are the nodes that were admitted and are not through yet, sorted by name.
	Entries []LedgerEntry
	// starts are the starts that count for the pace of a policy, oldest first.
	Starts []LedgerStart
	// failures are the failures that count for the automatic stop of a policy, oldest first.
	Failures []LedgerFailure
	// stops are the policies that failures have stopped.
	Stops []LedgerStop
	// inMaintenance are the nodes on which a MaintenanceProfile is InMaintenance, or is about to be. On each
	// node it is one at most. At most 4,000.
	InMaintenance []LedgerProfile
	// pools are the places of the pools that checks of the kind stagger name.
	Pools []LedgerPool
}

// LedgerProfile is a profile that is InMaintenance on a node, or is about to be.
type LedgerProfile struct {
	// node is the name of the node.
	Node string
	// nodeUID is the UID of the node.
	NodeUID types.UID
	// profile is the name of the MaintenanceProfile.
	Profile string
	// sequence is the status.sequence of the NodeProfile that the transition leads from.
	Sequence int64
	// attempt is the attempt in that sequence. With it, the id of the transition can be told.
	Attempt int64
	// since is when it was granted.
	Since metav1.MicroTime
}

// LedgerPool is a pool that checks of the kind stagger share.
type LedgerPool struct {
	// name is its name.
	Name string
	// grants are its places that are taken, oldest first. One whose time is over goes with the next one.
	Grants []LedgerGrant
}

// LedgerGrant is a place of a pool that is taken.
type LedgerGrant struct {
	// node is the name of the node that has it.
	Node string
	// profile is the name of the MaintenanceProfile that has taken it.
	Profile string
	// sequence is the status.sequence of the NodeProfile at that time.
	Sequence int64
	// attempt is the attempt in that sequence. A transition that is given up before its first step gives
	// back only its own place.
	Attempt int64
	// time is when it was taken.
	Time metav1.MicroTime
	// seconds is how long it is taken.
	Seconds int64
}

// LedgerEntry is a node that was admitted to maintenance.
type LedgerEntry struct {
	// node is the name of the node.
	Node string
	// nodeUID is the UID of the node.
	NodeUID types.UID
	// holds are the NodeMaintenances of the node that were admitted.
	Holds []LedgerHold
	// policies are those that selected the node when it was admitted. It counts for them, even if they
	// do not select it any more.
	Policies []LedgerPolicy
	// admittedTime is when the node was admitted.
	AdmittedTime metav1.MicroTime
	// releaseTime is since when release gates keep the node.
	ReleaseTime *metav1.MicroTime
	// givenBackTime is when the node was given back. It counts for maxConcurrent until it has soaked.
	GivenBackTime *metav1.MicroTime
}

// LedgerHold is a NodeMaintenance that was admitted.
type LedgerHold struct {
	// uid is its UID.
	UID types.UID
	// stage is how far it may go.
	Stage MaintenanceStage
	// time is when it was admitted.
	Time metav1.MicroTime
	// approved says that people approved it, so that its spec.drain cannot be changed any more.
	Approved bool
	// generation is the metadata.generation that was approved. Until status.admission says so too, a
	// change of the spec ends the admission.
	Generation int64
	// bypassed says that it did not wait for the policies.
	Bypassed bool
}

// LedgerPolicy is a policy that selected a node when the node was admitted.
type LedgerPolicy struct {
	// name is its name.
	Name string
	// generation is its metadata.generation at that time.
	Generation int64
	// domains are the domains that the node was in, one for each entry of limits.topology.
	Domains []LedgerDomain
}

// LedgerDomain is a domain that a node was in.
type LedgerDomain struct {
	// key is the label.
	Key string
	// value is its value; empty if the node did not have the label.
	Value string
}

// LedgerStart is when the maintenance of a node started.
type LedgerStart struct {
	// policy is the policy whose pace it counts for.
	Policy string
	// node is the name of the node.
	Node string
	// time is when the node was admitted.
	Time metav1.MicroTime
}

// LedgerFailure is a maintenance that failed.
type LedgerFailure struct {
	// policy is the policy that it counts for.
	Policy string
	// PolicyFailure says what failed.
	PolicyFailure
}

// LedgerStop is a policy that failures have stopped.
type LedgerStop struct {
	// policy is the name of the policy.
	Policy string
	// time is when it was stopped.
	Time metav1.Time
}
