// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

func noNodeOfName(name string) string { return fmt.Sprintf("no node has the name %s", name) }

func noNodeOfInstance(id string) string {
	return fmt.Sprintf("no node has the instance id %s as the last part of its spec.providerID", id)
}

func ambiguous(id string, nodes []*corev1.Node) string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.Name
	}
	slices.Sort(names)
	return fmt.Sprintf("the nodes %s all have the instance id %s in their spec.providerID, so nothing is done until only one has: delete the wrong one",
		quote.Names(names, quote.MaxNames), id)
}

func mismatch(a, b clue) string {
	return fmt.Sprintf("%s means node %s, but %s means node %s, so nothing is done: delete the event, and create one that means one node",
		a.says, a.node.Name, b.says, b.node.Name)
}

func machineNotAsked(name string) string {
	return fmt.Sprintf("machine %s cannot be asked for its node: the server has no machine API, or is not to use it (--machine-api, in the chart cloudEvents.machineAPI)", name)
}

func machineSilent(name, why string) string {
	return strings.TrimSuffix(fmt.Sprintf("machine %s does not say which node it has: %s", name, why), ": ")
}

func machineNodeMissing(name, node string) string {
	return fmt.Sprintf("machine %s says that its node is %s, but there is no such node", name, node)
}

func machineNodeUnproven(name, node string) string {
	return fmt.Sprintf("machine %s says that its node is %s, but the UID in its status.nodeRef and its spec.providerID do not prove that it is the node %s of this cluster, so nothing is done: if that node is meant, delete the event, and create one that names it in spec.nodeName",
		name, node, node)
}

// at is a time as sentences say it.
func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func objectName(o v1beta1.ReplacedObject) string { return o.Namespace + "/" + o.Name }

// holdReason is the spec.reason of the hold.
func holdReason(e *v1beta1.ScheduledEvent) string {
	reason := fmt.Sprintf("%s, announced by %s as scheduled event %s", e.Spec.Code, e.Spec.Source, e.Name)
	if e.Spec.Description != "" {
		reason += ": " + e.Spec.Description
	}
	return quote.Cut(reason, quote.MaxMessage)
}

// What an event waits for.

func startsAt(node string, start time.Time) string {
	return fmt.Sprintf("the drain of node %s starts at %s", node, at(start))
}

func startToCome(node string, start, latest time.Time, waiting string) string {
	if waiting != "" {
		return fmt.Sprintf("the drain of node %s to start at %s, or when policy %s allows it", node, at(start), waiting)
	}
	return fmt.Sprintf("the drain of node %s to start at %s, at %s at the latest", node, at(start), at(latest))
}

// notInTime is for policies that have no opening before the latest start. waiting is the policy that lets drains wait.
func notInTime(node string, closed []string, latest time.Time, waiting string) string {
	text := fmt.Sprintf("%s before the latest start %s: ", notOpening(closed), at(latest))
	switch {
	case waiting == "":
		text += fmt.Sprintf("the drain of node %s starts then, in spite of %s", node, policies(closed))
	case len(closed) == 1 && closed[0] == waiting:
		text += "it lets the drain wait, so the event may hit a node that is not empty"
	default:
		text += fmt.Sprintf("policy %s lets the drain wait, so the event may hit a node that is not empty", waiting)
	}
	return quote.Cut(text, quote.MaxMessage)
}

func notOpening(closed []string) string {
	if len(closed) == 1 {
		return policies(closed) + ", which does not open"
	}
	return policies(closed) + ", which are not open together"
}

func policies(names []string) string {
	if len(names) == 1 {
		return "policy " + names[0]
	}
	return "policies " + quote.Names(names, quote.MaxNames)
}

func cordonToCome(node string) string { return fmt.Sprintf("node %s to be cordoned", node) }

func policyWait(wait v1beta1.AdmissionWait) string {
	return fmt.Sprintf("policy %s: %s", wait.Policy, wait.Message)
}

func policiesToAllow(node, waits string, latest time.Time, waiting string) string {
	text := fmt.Sprintf("the policies of node %s: %s", node, waits)
	switch {
	case latest.IsZero() || waiting != "":
		text += "; they are always asked"
	default:
		text += fmt.Sprintf("; they are asked until %s, when the drain has to start", at(latest))
	}
	return quote.Cut(text, quote.MaxMessage)
}

func drainToEnd(node string) string { return fmt.Sprintf("node %s to be empty", node) }

func because(message string) string {
	return quote.Cut(": "+message, quote.MaxMessage/2)
}

func readyToCome(node string) string {
	return fmt.Sprintf("node %s to be Ready, so that it can be given back", node)
}

func machineToReturn(node string, spec *v1beta1.ScheduledEventSpec) string {
	when := ""
	if by := EmptyBy(spec); !by.IsZero() {
		when = fmt.Sprintf(" (the event is due at %s)", at(by))
	}
	return fmt.Sprintf("the machine of node %s to go and come back%s; if it does not start anew, set spec.state to Completed, or delete the event", node, when)
}

func otherReplaces(node, other string) string {
	return fmt.Sprintf("scheduled event %s, which replaces the machine of node %s", other, node)
}

func machineUnknown(node, why string) string {
	if why == "" {
		return fmt.Sprintf("the machine of node %s to be found", node)
	}
	return quote.Cut(fmt.Sprintf("the machine of node %s to be found: %s", node, why), quote.MaxMessage)
}

func workersFirst(node string, o Other, latest time.Time) string {
	until := ""
	if !latest.IsZero() {
		until = fmt.Sprintf(", until %s at the latest", at(latest))
	}
	return fmt.Sprintf("scheduled event %s of node %s to end%s: node %s is of the control plane, and goes after the workers", o.Name, o.Node, until, node)
}

func oneAtATime(node string, o Other) string {
	return fmt.Sprintf("scheduled event %s of node %s to end: nodes of the control plane, such as %s, go one at a time", o.Name, o.Node, node)
}

func givingBack(h *v1beta1.NodeMaintenance) string {
	text := fmt.Sprintf("NodeMaintenance %s to give node %s back", h.Name, h.Spec.NodeName)
	if c := apimeta.FindStatusCondition(h.Status.Conditions, v1beta1.ConditionReleased); c != nil && c.Status == metav1.ConditionFalse {
		text += ": " + c.Message
	}
	return quote.Cut(text, quote.MaxMessage)
}

func undoing(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("what was added to replace machine %s to be taken away again", objectName(r.Machine))
}

func replacementToBegin(machine string) string {
	return fmt.Sprintf("the replacement of machine %s to begin", machine)
}

func nodeToGo(node string, r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("node %s to be deleted: its machine %s is gone; if nothing deletes the node, do it", node, objectName(r.Machine))
}

func stepToEnd(r *v1beta1.MachineReplacement) string {
	machine, owner := objectName(r.Machine), ownerOf(r)
	switch r.Step {
	case v1beta1.StepSurge:
		return fmt.Sprintf("%s to get one machine more, which replaces machine %s", owner, machine)
	case v1beta1.StepAwaitNewNode:
		if r.NewMachine != "" {
			return fmt.Sprintf("the node of the new machine %s/%s to be Ready", r.Machine.Namespace, r.NewMachine)
		}
		return fmt.Sprintf("the new machine of %s, which replaces machine %s", owner, machine)
	case v1beta1.StepDelete:
		return fmt.Sprintf("machine %s to be taken away from %s", machine, owner)
	case v1beta1.StepAwaitGone:
		return fmt.Sprintf("machine %s to be gone", machine)
	default:
		return fmt.Sprintf("%s to have all its machines again", owner)
	}
}

func ownerOf(r *v1beta1.MachineReplacement) string {
	if r.Owner == nil {
		return "the owner of the machine"
	}
	return r.Owner.Kind + " " + objectName(*r.Owner)
}

// Why a person has to do something.

const noMachineAPI = "the server has no machine API, or is not to use it (--machine-api, in the chart cloudEvents.machineAPI)"

func noMachine(node, why string) string {
	text := fmt.Sprintf("no machine says that node %s is its own", node)
	if why != "" {
		text += ": " + why
	}
	return text
}

func notReplaceable(m Machine) string { return fmt.Sprintf("machine %s: %s", m.Name, m.Why) }

func noOwner(node, machine string, drains bool) string {
	drained := "will be drained"
	if drains {
		drained = "is drained"
	}
	return quote.Cut(fmt.Sprintf("nothing replaces the machine of node %s (%s): the node %s; create another one, and delete the machine and the node, or set spec.state to Completed once the machine may go on", node, machine, drained), quote.MaxMessage)
}

func controlPlaneNotReplaced(node, machine string) string {
	return quote.Cut(fmt.Sprintf("nothing replaces the machine of node %s of the control plane (%s), so the node is not drained: replace it as the installer of the cluster says, and delete the event", node, machine), quote.MaxMessage)
}

func holdRefused(name, refusal string) string {
	return quote.Cut(fmt.Sprintf("NodeMaintenance %s was refused: %s", name, refusal), quote.MaxMessage)
}

func holdKept(h *v1beta1.NodeMaintenance, why string) string {
	return quote.Cut(fmt.Sprintf("%s, but its delete was refused: %s", givingBack(h), why), quote.MaxMessage)
}

func latestStartPassed(node, policy, waits string, latest time.Time) string {
	return quote.Cut(fmt.Sprintf("the drain of node %s had to start at %s, but policy %s lets it wait: %s; the event may hit a node that is not empty", node, at(latest), policy, waits), quote.MaxMessage)
}

func replacementFailed(node string, r *v1beta1.MachineReplacement, latest time.Time, drains bool, waiting string) string {
	text := fmt.Sprintf("machine %s was not replaced: %s; ", objectName(r.Machine), r.Failure)
	switch {
	case drains || latest.IsZero():
		text += fmt.Sprintf("node %s is drained, and its machine stays: replace it, or delete the event", node)
	case waiting != "":
		text += fmt.Sprintf("node %s stays in service, and is drained when policy %s allows it: replace it before, or delete the event", node, waiting)
	default:
		text += fmt.Sprintf("node %s stays in service, and is drained from %s on at the latest: replace it before, or delete the event", node, at(latest))
	}
	return quote.Cut(text, quote.MaxMessage)
}

func machinesOff(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("the replacement of machine %s has begun, and cannot go on: %s", objectName(r.Machine), noMachineAPI)
}

func nodeGoneFirst(node string, r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("node %s is gone, so nothing says that it is empty, and its machine %s is not deleted: see whether it may go, and delete it, or delete the event", node, objectName(r.Machine))
}

func holdNarrowed(hold string, r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("NodeMaintenance %s was changed, and does not drain all pods for this event any more, so machine %s is not taken away: its spec.drain has to be empty", hold, objectName(r.Machine))
}

func podsStay(node string, h *v1beta1.NodeMaintenance, r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("%s on node %s, such as those with the label %s=%s, so machine %s is not taken away: delete them",
		english.Plural(int(h.Status.SkippedPodCount), "pod stays", "pods stay"), node, v1beta1.DrainLabel, v1beta1.DrainLabelSkip, objectName(r.Machine))
}

func replacementMissing(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("machine %s is gone, but %s does not have all its machines Ready: see to it, or delete the event", objectName(r.Machine), ownerOf(r))
}

// How an event ended.

func ignored(code, policy string) string {
	if policy != "" {
		return fmt.Sprintf("nothing is done for the code %s, as policy %s says", code, policy)
	}
	return fmt.Sprintf("nothing is done for the code %s; a MaintenancePolicy can say what: spec.events.actions", code)
}

func canceled(e *v1beta1.ScheduledEvent) string {
	how := "it was canceled"
	if e.DeletionTimestamp != nil {
		how = "it was deleted"
	}
	if e.Status.DrainStartTime == nil {
		return how + " before a drain started"
	}
	return fmt.Sprintf("%s, and this event holds node %s no more", how, e.Status.NodeName)
}

func overBefore(node string) string {
	if node == "" {
		return "it was over before its node was found"
	}
	return fmt.Sprintf("it was over before the drain of node %s started", node)
}

func nodeGone(node string) string { return fmt.Sprintf("node %s is gone", node) }

func cameBack(node string, drained *metav1.Time) string {
	if drained == nil {
		return fmt.Sprintf("node %s came back before its drain had ended, and this event holds it no more", node)
	}
	return fmt.Sprintf("node %s was empty at %s, came back, and this event holds it no more", node, at(drained.Time))
}

func replaced(node string, r *v1beta1.MachineReplacement) string {
	by := ""
	if r.NewMachine != "" {
		by = fmt.Sprintf(" by machine %s/%s", r.Machine.Namespace, r.NewMachine)
	}
	if r.NewNode != "" {
		by += " with node " + r.NewNode
	}
	return fmt.Sprintf("machine %s of node %s was replaced%s", objectName(r.Machine), node, by)
}

func replacedByOther(node, other string) string {
	return fmt.Sprintf("scheduled event %s replaced the machine of node %s", other, node)
}

// What Kubernetes events say besides.

func drainScheduled(node string, s *v1beta1.ScheduledEventStatus, now time.Time, closed []string, waiting string) string {
	if s.LatestStartTime == nil {
		return fmt.Sprintf("the drain of node %s starts as soon as its policies allow: the event says no time", node)
	}
	start, latest := s.StartTime.Time, s.LatestStartTime.Time
	switch {
	case len(closed) > 0:
		return "the drain waits for " + notInTime(node, closed, latest, waiting)
	case !latest.After(now) && waiting != "":
		return fmt.Sprintf("the drain of node %s had to start at %s, so it starts when policy %s allows it", node, at(latest), waiting)
	case !latest.After(now):
		return fmt.Sprintf("the drain of node %s had to start at %s, so it starts now", node, at(latest))
	case waiting != "":
		return fmt.Sprintf("the drain of node %s is to start at %s, or when policy %s allows it; it has to start at %s to be done in time",
			node, at(start), waiting, at(latest))
	}
	return fmt.Sprintf("the drain of node %s is to start at %s, at %s at the latest", node, at(start), at(latest))
}

func lateStart(node string, by, now time.Time, s *v1beta1.ScheduledEventStatus) string {
	takes := time.Duration(ptr.Deref(s.ExpectedDrainSeconds, 0)) * time.Second
	if !by.After(now) {
		return fmt.Sprintf("node %s may be hit before it is empty: the event was due at %s, and the drain takes about %s", node, at(by), takes)
	}
	return fmt.Sprintf("node %s will most likely not be empty at %s: its drain takes about %s", node, at(by), takes)
}

func startedInSpite(node, waits string, latest time.Time) string {
	return quote.Cut(fmt.Sprintf("the drain of node %s has to start, whatever its policies say: the latest start was %s; it waited for %s", node, at(latest), waits), quote.MaxMessage)
}

func drainStarted(node string, e *v1beta1.ScheduledEvent) string {
	return fmt.Sprintf("node %s is cordoned for scheduled event %s (%s)", node, e.Name, e.Spec.Code)
}

func drained(node string, e *v1beta1.ScheduledEvent) string {
	return fmt.Sprintf("node %s is empty for scheduled event %s (%s)", node, e.Name, e.Spec.Code)
}

func machineReturned(node string) string {
	return fmt.Sprintf("node %s is Ready again, and this event lets it go", node)
}

func surgeAdded(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("%s has one machine more, which replaces machine %s", ownerOf(r), objectName(r.Machine))
}

func newNodeReady(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("node %s of machine %s/%s is Ready, and replaces machine %s", r.NewNode, r.Machine.Namespace, r.NewMachine, objectName(r.Machine))
}

func machineDeleted(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("machine %s is gone", objectName(r.Machine))
}

func machineReplaced(r *v1beta1.MachineReplacement) string {
	return fmt.Sprintf("machine %s was replaced", objectName(r.Machine))
}
