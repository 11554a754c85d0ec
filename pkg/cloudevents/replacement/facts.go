// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Stand is how far a replacement is, and what its event wants of it.
type Stand struct {
	// Replacement is what is stored.
	Replacement v1beta1.MachineReplacement
	// Event is the UID of the ScheduledEvent.
	Event types.UID
	// Timeout is how long a new machine may take until its node is Ready.
	Timeout time.Duration
	// MayDelete says that the node is empty, that the hold as it is stored drains all of it, and that the machine may
	// be taken away. It is asked again before each write that takes the machine away.
	MayDelete bool
	// Withdrawn says that the event was canceled or deleted, or has happened.
	Withdrawn bool
}

// Presence is what has become of the machine.
type Presence string

const (
	// Present means that the machine exists, and belongs to its owner.
	Present Presence = "Present"
	// Detached means that the machine exists, and does not belong to its owner any more.
	Detached Presence = "Detached"
	// Deleting means that the machine was deleted, and is not gone.
	Deleting Presence = "Deleting"
	// Gone means that the machine does not exist any more. Another one may have its name.
	Gone Presence = "Gone"
)

// Facts are what package machines has just read from the API server.
type Facts struct {
	// Machine is what has become of the machine.
	Machine Presence
	// OwnerGone says that the owner does not exist any more, or is being deleted.
	OwnerGone bool
	// Surged says that the owner has the machine that was added for the event.
	Surged bool
	// Rescaled says that somebody else has set the owner's replicas since a machine was added. What they set is what
	// they want: it is not lowered.
	Rescaled bool
	// Settled says that a change of the owner's replicas has reached the MachineSet. Always true for a MachineSet.
	Settled bool
	// Replicas is how many machines the owner wants.
	Replicas int64
	// Live is how many machines the owner has that are not being deleted.
	Live int64
	// Ready is how many of these have a node that is Ready.
	Ready int64
	// New is the machine that comes instead: of the same owner, created since the step began, and not that of another
	// event. Nil while there is none.
	New *NewMachine
	// Newest is the youngest machine of the owner that no event replaces, if possible one that is not the new machine of
	// another event. Empty if there is none.
	Newest string
	// Marks are the live machines of the owner that are marked to be deleted first, and the old one if it is detached and
	// has the mark of the event.
	Marks []Mark
}

// NewMachine is a machine that comes instead of the old one.
type NewMachine struct {
	// Name is the name of the machine.
	Name string
	// Node is the name of its node. Empty while it has none.
	Node string
	// Ready says whether the node is Ready.
	Ready bool
	// Problem is what the machine says is wrong with it. Empty if nothing is.
	Problem string
}

// Mark is the mark on a machine that is to be deleted first.
type Mark struct {
	// Machine is the name of the machine.
	Machine string
	// Own says that the mark is that of the event.
	Own bool
}

// Act is what is done now. The zero value is nothing. Each can be done again.
type Act struct {
	// Kind is what is done.
	Kind ActKind
	// Machine is the name of the machine that is marked or unmarked.
	Machine string
	// Event is the UID of the ScheduledEvent that it is done for.
	Event types.UID
}

// ActKind is a kind of act.
type ActKind string

const (
	// ActNone does nothing.
	ActNone ActKind = ""
	// ActSurge adds one machine to the owner, unless the event has added one.
	ActSurge ActKind = "Surge"
	// ActMark marks the machine to be deleted first. The old machine is also excluded from a second drain.
	ActMark ActKind = "Mark"
	// ActUnmark takes off what ActMark set for the event.
	ActUnmark ActKind = "Unmark"
	// ActScaleDown takes one machine away from the owner, if the event has added one, and if nobody has set the
	// replicas since.
	ActScaleDown ActKind = "ScaleDown"
	// ActForget takes the event out of the owner's annotation, and leaves the replicas as they are.
	ActForget ActKind = "Forget"
	// ActDelete excludes the old machine from a second drain, and deletes it.
	ActDelete ActKind = "Delete"
)

// Verdict is what Next decides: store, and then act.
type Verdict struct {
	// Replacement is what is stored before anything is done.
	Replacement v1beta1.MachineReplacement
	// Act is what is done when that is stored.
	Act Act
	// WaitingFor is what the replacement waits for, in one sentence. Empty if it waits for nothing.
	WaitingFor string
}
