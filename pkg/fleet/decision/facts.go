// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Facts are all that a decision depends on. Decide changes none of them.
type Facts struct {
	// Now is the time of the decision.
	Now time.Time
	// Policies are all policies, with valid specs or not.
	Policies []*v1beta1.MaintenancePolicy
	// Nodes are all nodes of the cluster. They must not be older than the ledger and Released: a node that was given
	// back must not carry our marks any more.
	Nodes []*corev1.Node
	// Holds are all NodeMaintenances. They must not be older than the ledger: a hold that the ledger names and that is
	// not there has ended.
	Holds []*v1beta1.NodeMaintenance
	// Ledger is the record as it is stored.
	Ledger v1beta1.MaintenanceLedgerSpec
	// Released are the names of the nodes in the ledger of which the API servers have said, just now, that no hold
	// keeps them and that they carry no marks of ours, or that no node with the UID of the ledger exists. Outcome.Leaving
	// says of which nodes to ask.
	Released map[string]bool
	// LetGo are the nodes that release gates let go: the ledger is not to say that they keep them.
	LetGo map[string]bool
	// Taken are the holds that have their node out of service: they have recorded it, and the marks on the node say that
	// this server took it for them.
	Taken map[types.UID]bool
	// OutBefore are the holds that were imported from another operator that took their node out of service, and of which
	// the node still is: they go on, although the node does not carry marks of ours yet.
	OutBefore map[types.UID]bool
	// Started says which gates for the start pass, by hold and policy. What is not there was not checked yet.
	Started map[GateKey]GateAnswer
	// Pods is what is known of the pods of nodes that wait or are drained, by node. It only orders the queue.
	Pods map[string]PodLoad
}

// GateKey is for which hold the start gates of a policy are checked.
type GateKey struct {
	Hold   types.UID
	Policy string
}

// GateAnswer is what start gates say of a hold.
type GateAnswer struct {
	// Passed says that all gates pass.
	Passed bool
	// Reason is AdmissionGateFailed or AdmissionPlanBlocked if they do not.
	Reason v1beta1.AdmissionReason
	// Message says in one sentence which gate does not pass, and why.
	Message string
}

// PodLoad is what a drain of a node would take.
type PodLoad struct {
	// Evictable is how many pods a drain would evict.
	Evictable int
	// Budgets is how many of them each disruption budget selects, by namespace/name.
	Budgets map[types.NamespacedName]int
	// Allowed is how many disruptions each of these budgets allows now.
	Allowed map[types.NamespacedName]int
}

// Outcome is what follows from the facts.
type Outcome struct {
	// Ledger is what the ledger is to say.
	Ledger v1beta1.MaintenanceLedgerSpec
	// Holds are the answers for all holds of nodes that a policy selects or the ledger names, and for those with
	// spec.notBefore. A hold that is not there, such as one that is being deleted, need not wait.
	Holds map[types.UID]HoldOutcome
	// Planned are the nodes that are to be marked as ones whose maintenance may start soon.
	Planned map[string]bool
	// Policies are the answers for all policies, by name.
	Policies map[string]PolicyOutcome
	// Check are the start gates whose answers are missing or needed: only for holds that nothing else keeps.
	Check []GateKey
	// Leaving are the nodes of the ledger that no hold keeps there any more, sorted: they leave it, or begin to soak,
	// once Facts.Released names them.
	Leaving []string
	// Again is the time when the outcome may change by time alone; zero: never.
	Again time.Time
}

// HoldOutcome is the answer for a hold.
type HoldOutcome struct {
	// Stage is how far the hold may go: its own stage if it need not wait.
	Stage v1beta1.MaintenanceStage
	// AdmittedTime is since when; zero: it waits for its first start.
	AdmittedTime time.Time
	// Approved says that people have approved what was admitted, so that spec.drain is frozen.
	Approved bool
	// Bypassed says that it did not wait for the policies.
	Bypassed bool
	// Waits is what it waits for, policy by policy, the firmest reasons first; empty: nothing.
	Waits []v1beta1.AdmissionWait
	// Earliest is before when it does not start; zero: it waits for a person or a gate, or for nothing.
	Earliest time.Time
	// Positions are its places in the queues, sorted by policy.
	Positions []v1beta1.QueuePosition
}

// PolicyOutcome is the answer for a policy.
type PolicyOutcome struct {
	// Status is what its status is to say, without the times of changes of its conditions.
	Status v1beta1.MaintenancePolicyStatus
	// Queue are the holds that wait for it, in the order in which they are to start.
	Queue []types.UID
}
