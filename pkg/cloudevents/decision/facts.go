// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Facts are all that a decision depends on. Decide changes none of them.
type Facts struct {
	// Now is the time of the decision.
	Now time.Time
	// Event is the event as it is stored. It must not be older than what was last written for it.
	Event *v1beta1.ScheduledEvent
	// Found is which node it means: the answer of FindNode.
	Found Found
	// Policies are those that select the node, as PoliciesOf returns them; none if there is no node.
	Policies []*v1beta1.MaintenancePolicy
	// Hold is the hold of the event as it is stored, also while it is being deleted. Nil: there is none.
	Hold *v1beta1.NodeMaintenance
	// Refusal is the reason why the server refused the last write of the hold; empty: it did not.
	Refusal string
	// Kept is the reason why the server refused the last delete of the hold; empty: it did not.
	Kept string
	// Drains is how long the drain may take.
	Drains Drains
	// MachineAPI says that machines may be asked for and changed.
	MachineAPI bool
	// Machine is what is known of the machine of the node. It matters only where the action is Replace.
	Machine Machine
	// ReplacementFails is the reason why the machines could not be looked at or changed last; empty: they could.
	ReplacementFails string
	// Others are all other events, as OtherOf sees them. They must not be older than what was last written for them: at
	// most one node of the control plane goes at a time.
	Others []Other
}

// Drains is what says how long a drain takes.
type Drains struct {
	// Plan is the Estimate of the plan of the node as it is now; zero: it is not known.
	Plan time.Duration
	// Earlier is how long the drains of any nodes took for earlier events and holds, in any order.
	Earlier []time.Duration
}

// Machine is what is known of the machine of a node before it is replaced. How far the replacement is says the status
// of the event.
type Machine struct {
	// Known says that machines were asked. Until then, and while they cannot be, no replacement begins.
	Known bool
	// Name is the machine as namespace/name. Empty: no machine says that the node is its own.
	Name string
	// Replaceable says that something replaces the machine once it is gone. For a node of the control plane that is its
	// own controller.
	Replaceable bool
	// Why is the reason why it is not Replaceable, or could not be asked for, for the end of a sentence: it has no MachineSet.
	Why string
	// Strategy is how it would be replaced, as policies and the owner say. Nodes of the control plane: DeleteFirst.
	Strategy v1beta1.ReplacementStrategy
}
