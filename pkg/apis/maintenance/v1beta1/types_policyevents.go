// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// PolicyEvents are what happens at ScheduledEvents of the nodes.
type PolicyEvents struct {
	// actions say what happens at events of a code. A code that is not among them is dealt with as usual. At most 32.
	// +optional
	// +listType=map
	// +listMapKey=code
	Actions []PolicyEventAction `json:"actions,omitempty"`
	// atLatestStart is what happens at the latest time at which a drain can start and be done before its event. Start
	// starts it, whatever windows, freezes, limits and approvals say. Wait lets it wait for them, so that the event may
	// hit a node that is not empty. Defaults to Start. Wait counts if any policy of the node says so.
	// +optional
	AtLatestStart LatestStartAction `json:"atLatestStart,omitempty"`
	// replacement is how machines are replaced.
	// +optional
	Replacement *PolicyReplacement `json:"replacement,omitempty"`
}

// PolicyEventAction is what happens at events of a code.
type PolicyEventAction struct {
	// code is the code of the events, such as instance-stop; see spec.code of a ScheduledEvent. Required.
	Code string `json:"code"`
	// action is what is done. Drain drains the node, waits until its machine went and came back, and gives the node
	// back. Replace drains the node and has its machine replaced. Ignore does nothing. Required.
	Action EventAction `json:"action"`
}

// LatestStartAction is what happens at the latest time at which a drain can start.
// +enum
type LatestStartAction string

const (
	// LatestStartStart starts the drain, whatever the policies say.
	LatestStartStart LatestStartAction = "Start"
	// LatestStartWait lets the drain wait for the policies.
	LatestStartWait LatestStartAction = "Wait"
)

// PolicyReplacement is how machines are replaced.
type PolicyReplacement struct {
	// strategy is in which order. SurgeFirst adds a machine, waits until its node is Ready, and then drains and deletes
	// the old one. DeleteFirst drains and deletes the old machine, and its owner adds one then. Defaults to SurgeFirst
	// where a MachineSet or a MachineDeployment owns the machine. Machines of the control plane are always replaced
	// by their own controller, after the delete.
	// +optional
	Strategy ReplacementStrategy `json:"strategy,omitempty"`
	// timeoutSeconds is how long a new machine may take until its node is Ready. After that, what was added is taken
	// away again, and a person has to see to it. The node stays in service until its latest start, or is drained if
	// the event has no times. From 60 to 86400. Defaults to 1800 (half an hour).
	// +optional
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
}
