// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// LedgerName is the name of the only MaintenanceLedger.
const LedgerName = "cluster"

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceLedger is the server's record of which nodes were admitted to maintenance. There is one,
// named cluster, while there is a MaintenancePolicy or a MaintenanceProfile, or something is left to record.
// Only the server writes it.
type MaintenanceLedger struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the record.
	// +optional
	Spec MaintenanceLedgerSpec `json:"spec,omitempty,omitzero"`

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	Unknown UnknownFields `json:"-"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceLedgerList is a list of MaintenanceLedgers.
type MaintenanceLedgerList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the MaintenanceLedgers.
	Items []MaintenanceLedger `json:"items"`
}

// MaintenanceLedgerSpec is which nodes were admitted, and what limits how many more are.
type MaintenanceLedgerSpec struct {
	// epoch counts the terms of leaders. Each leader raises it before anything else, so that a write of
	// the one before fails.
	Epoch int64 `json:"epoch"`
	// entries are the nodes that were admitted and are not through yet, sorted by name.
	// +optional
	// +listType=atomic
	Entries []LedgerEntry `json:"entries,omitempty"`
	// starts are the starts that count for the pace of a policy, oldest first.
	// +optional
	// +listType=atomic
	Starts []LedgerStart `json:"starts,omitempty"`
	// failures are the failures that count for the automatic stop of a policy, oldest first.
	// +optional
	// +listType=atomic
	Failures []LedgerFailure `json:"failures,omitempty"`
	// stops are the policies that failures have stopped.
	// +optional
	// +listType=atomic
	Stops []LedgerStop `json:"stops,omitempty"`
	// inMaintenance are the nodes on which a MaintenanceProfile is InMaintenance, or is about to be. On each
	// node it is one at most. At most 4,000.
	// +optional
	// +listType=map
	// +listMapKey=node
	InMaintenance []LedgerProfile `json:"inMaintenance,omitempty"`
	// pools are the places of the pools that checks of the kind stagger name.
	// +optional
	// +listType=map
	// +listMapKey=name
	Pools []LedgerPool `json:"pools,omitempty"`
}

// LedgerProfile is a profile that is InMaintenance on a node, or is about to be.
type LedgerProfile struct {
	// node is the name of the node.
	Node string `json:"node"`
	// nodeUID is the UID of the node.
	NodeUID types.UID `json:"nodeUID"`
	// profile is the name of the MaintenanceProfile.
	Profile string `json:"profile"`
	// sequence is the status.sequence of the NodeProfile that the transition leads from.
	Sequence int64 `json:"sequence"`
	// attempt is the attempt in that sequence. With it, the id of the transition can be told.
	Attempt int64 `json:"attempt"`
	// since is when it was granted.
	Since metav1.MicroTime `json:"since"`
}

// LedgerPool is a pool that checks of the kind stagger share.
type LedgerPool struct {
	// name is its name.
	Name string `json:"name"`
	// grants are its places that are taken, oldest first. One whose time is over goes with the next one.
	// +optional
	// +listType=atomic
	Grants []LedgerGrant `json:"grants,omitempty"`
}

// LedgerGrant is a place of a pool that is taken.
type LedgerGrant struct {
	// node is the name of the node that has it.
	Node string `json:"node"`
	// profile is the name of the MaintenanceProfile that has taken it.
	Profile string `json:"profile"`
	// sequence is the status.sequence of the NodeProfile at that time.
	Sequence int64 `json:"sequence"`
	// attempt is the attempt in that sequence. A transition that is given up before its first step gives
	// back only its own place.
	Attempt int64 `json:"attempt"`
	// time is when it was taken.
	Time metav1.MicroTime `json:"time"`
	// seconds is how long it is taken.
	Seconds int64 `json:"seconds"`
}

// LedgerEntry is a node that was admitted to maintenance.
type LedgerEntry struct {
	// node is the name of the node.
	Node string `json:"node"`
	// nodeUID is the UID of the node.
	NodeUID types.UID `json:"nodeUID"`
	// holds are the NodeMaintenances of the node that were admitted.
	// +optional
	// +listType=atomic
	Holds []LedgerHold `json:"holds,omitempty"`
	// policies are those that selected the node when it was admitted. It counts for them, even if they
	// do not select it any more.
	// +optional
	// +listType=atomic
	Policies []LedgerPolicy `json:"policies,omitempty"`
	// admittedTime is when the node was admitted.
	AdmittedTime metav1.MicroTime `json:"admittedTime"`
	// releaseTime is since when release gates keep the node.
	// +optional
	ReleaseTime *metav1.MicroTime `json:"releaseTime,omitempty"`
	// givenBackTime is when the node was given back. It counts for maxConcurrent until it has soaked.
	// +optional
	GivenBackTime *metav1.MicroTime `json:"givenBackTime,omitempty"`
}

// LedgerHold is a NodeMaintenance that was admitted.
type LedgerHold struct {
	// uid is its UID.
	UID types.UID `json:"uid"`
	// stage is how far it may go.
	Stage MaintenanceStage `json:"stage"`
	// time is when it was admitted.
	Time metav1.MicroTime `json:"time"`
	// approved says that people approved it, so that its spec.drain cannot be changed any more.
	// +optional
	Approved bool `json:"approved,omitempty"`
	// generation is the metadata.generation that was approved. Until status.admission says so too, a
	// change of the spec ends the admission.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// bypassed says that it did not wait for the policies.
	// +optional
	Bypassed bool `json:"bypassed,omitempty"`
}

// LedgerPolicy is a policy that selected a node when the node was admitted.
type LedgerPolicy struct {
	// name is its name.
	Name string `json:"name"`
	// generation is its metadata.generation at that time.
	Generation int64 `json:"generation"`
	// domains are the domains that the node was in, one for each entry of limits.topology.
	// +optional
	// +listType=atomic
	Domains []LedgerDomain `json:"domains,omitempty"`
}

// LedgerDomain is a domain that a node was in.
type LedgerDomain struct {
	// key is the label.
	Key string `json:"key"`
	// value is its value; empty if the node did not have the label.
	// +optional
	Value string `json:"value,omitempty"`
}

// LedgerStart is when the maintenance of a node started.
type LedgerStart struct {
	// policy is the policy whose pace it counts for.
	Policy string `json:"policy"`
	// node is the name of the node.
	Node string `json:"node"`
	// time is when the node was admitted.
	Time metav1.MicroTime `json:"time"`
}

// LedgerFailure is a maintenance that failed.
type LedgerFailure struct {
	// policy is the policy that it counts for.
	Policy string `json:"policy"`
	// PolicyFailure says what failed.
	PolicyFailure `json:",inline"`
}

// LedgerStop is a policy that failures have stopped.
type LedgerStop struct {
	// policy is the name of the policy.
	Policy string `json:"policy"`
	// time is when it was stopped.
	Time metav1.Time `json:"time"`
}
