// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Result is the result of a check or of a chain of checks. The zero value is none of the four.
type Result = v1beta1.CheckResult

// The four results.
const (
	True    = v1beta1.CheckTrue
	False   = v1beta1.CheckFalse
	Error   = v1beta1.CheckError
	Unknown = v1beta1.CheckUnknown
)

// Facts are all that an evaluation depends on. Evaluate changes none of them.
type Facts struct {
	// Now is the time of the evaluation.
	Now time.Time
	// Profile is the profile, with a spec that was valid when it was written.
	Profile *v1beta1.MaintenanceProfile
	// NodeProfile is where the node is. Its status has the state, since when, and what people have decided.
	NodeProfile *v1beta1.NodeProfile
	// Node is the node; nil while it does not exist. Checks that need it then end in an error.
	Node *corev1.Node
	// Siblings are the NodeProfiles of other profiles on the same node. While one of them is InMaintenance, no other profile
	// enters it, even if the ledger does not know of it, as after an adoption.
	Siblings []*v1beta1.NodeProfile
	// Cluster is what is known of all nodes. It must not be older than the ledger: a node that the ledger names has its
	// labels there, unless it is gone.
	Cluster Cluster
	// Ledger is the record as it is stored. maxInMaintenance and stagger go by it alone, and so does the rule of one profile
	// a node, but for Siblings. What it has for the transition that is asked about, which was granted and not recorded yet, is not in
	// the way of that transition.
	Ledger v1beta1.MaintenanceLedgerSpec
	// Pods is what is known of the pods of this node and of the nodes where the profile is MaintenanceRequired, by node. It
	// is only for the check podAffinity: a node that is missing makes it Unknown.
	Pods map[string]PodAffinity
	// Answers are the last answers to the checks prometheus, http and object of this profile on this node, by the name of
	// the check. One that is missing is Unknown. Whoever gathers the facts leaves out those that are too old.
	Answers map[string]Answer
	// HoldReached is how far the hold of the NodeProfile is, as the store says, and not the status of the NodeProfile: Idle
	// while there is none. Transitions wait for it in a state with a hold.
	HoldReached v1beta1.MaintenanceStage
}

// Cluster is what is known of all nodes of the cluster. It answers at once, from memory. Two answers may be of two moments.
type Cluster interface {
	// NodeCount returns how many nodes there are.
	NodeCount() int
	// AnyNode returns a node that has the label, with the value unless that is nil; ok is false if none has. If several
	// have it, it is the first by name.
	AnyNode(key string, value *string) (node string, ok bool)
	// HighestVersion returns the highest version among the values of a label, and the first node by name that has it; ok
	// is false if no value is a version. With a profile, by its name, only the nodes that it is on count.
	HighestVersion(labelKey string, parse v1beta1.VersionParse, profile string) (version, node string, ok bool)
	// Labels returns the labels of a node, which must not be changed; ok is false if there is no such node.
	Labels(node string) (labels map[string]string, ok bool)
	// Carries says whether a profile, by its alias, is on the node, in any state.
	Carries(node, alias string) bool
	// InState returns the nodes on which a profile, by its name, is in the state, sorted by name.
	InState(profile string, state v1beta1.ProfileState) []Member
}

// Member is a node that a profile is on.
type Member struct {
	// Node is its name.
	Node string
	// Since is the time when the state was entered there.
	Since time.Time
}

// PodAffinity is what the pods of a node want.
type PodAffinity struct {
	// Prefers says that at least one of them prefers nodes that are Operational.
	Prefers bool
	// Pod is the first of them, as namespace/name; empty if there is none.
	Pod string
}

// Answer is the answer to a check that asks somebody else.
type Answer struct {
	// Result is True, False or Error.
	Result Result
	// Message says in a sentence why, without URLs and credentials.
	Message string
	// Info are numbers and names that the result was made from.
	Info map[string]string
	// Time is the time when the answer came.
	Time time.Time
}
