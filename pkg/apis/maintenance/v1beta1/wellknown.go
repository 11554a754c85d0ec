// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The marks that the server leaves on objects while a node is in maintenance.
const (
	// UncordonFinalizer is on every NodeMaintenance from its creation. The server removes
	// it when the node has been given back, or other holds keep it in maintenance. Nobody
	// else can remove it.
	UncordonFinalizer = GroupName + "/uncordon"

	// DrainTaint is the key of the taint, with the effect NoSchedule, of a cordoned node.
	// node-maintenance-operator uses the same key, so tolerations and alerts that were
	// written for it continue to work.
	DrainTaint = "medik8s.io/drain"

	// ExcludeFromRemediationLabel, with the value "true", keeps the medik8s remediation
	// operators from rebooting a node that is down on purpose.
	ExcludeFromRemediationLabel = "remediation.medik8s.io/exclude-from-remediation"

	// ImportedAnnotation on a NodeMaintenance says, as JSON, which object of another operator it was
	// imported from, who had created that, and how far the maintenance was. Only who may write
	// nodemaintenances/status may set it, since the server believes it.
	ImportedAnnotation = GroupName + "/imported-from"

	// HoldsAnnotation on a Node says who holds the node and why, as JSON, for people to
	// read. It also names the store of the server that cordoned the node. Servers use that
	// to tell which nodes are not theirs to give back.
	HoldsAnnotation = GroupName + "/holds"

	// UnreadableAnnotation is on an object that the server has stored, and cannot read any more, and says why. Of such an
	// object only the name is known, and perhaps its node. The server does nothing for it, and leaves what it was for as it
	// is. The annotation is not stored: nobody else can set it.
	UnreadableAnnotation = GroupName + "/unreadable"

	// PlannedTaint is the key of the taint, with the effect PreferNoSchedule, of a node that waits for a
	// MaintenancePolicy and may start soon. Its value is the ID of the store of the server that set it.
	PlannedTaint = GroupName + "/planned"
)

// DrainLabel on a pod says how the pod is drained, and takes precedence over rules. The label and
// its values are those of Cluster API and mean the same.
const (
	DrainLabel = "cluster.x-k8s.io/drain"
	// DrainLabelSkip leaves the pod on the node.
	DrainLabelSkip = "skip"
	// DrainLabelWaitCompleted waits until the pod has run to completion, and then removes it.
	DrainLabelWaitCompleted = "wait-completed"
)

// What profiles use of other objects.
const (
	// OutboxFinalizer is on NodeProfiles, so that they stay until their notifications were sent, or an hour is
	// over.
	OutboxFinalizer = GroupName + "/outbox"

	// DetachFinalizer is on MaintenanceProfiles, so that they stay until they are off all of their nodes, as
	// spec.onDetach says.
	DetachFinalizer = GroupName + "/detach"

	// ProfileRequestor, followed by the name of the profile, is the spec.requestor of the holds of profiles. Only
	// the server itself may use it.
	ProfileRequestor = GroupName + ":profile:"

	// TransitionLabel on a Job has a hash of the transition and the step that created it. A Job of the right name
	// without it is somebody else's.
	TransitionLabel = GroupName + "/transition"

	// StepAnnotation on a Job has the id of the transition and of its step that created it, of which TransitionLabel has
	// the hash.
	StepAnnotation = GroupName + "/step"

	// BootIDAnnotation on the pods of a Job that reboots its node has the boot ID that the node had before. The program in
	// the pod can compare it with that of the machine, so that it never reboots one that has just come up.
	BootIDAnnotation = GroupName + "/boot-id"

	// DefaultProfileLabel is the label of a node that has the aliases of its profiles, joined with
	// ProfileSeparator, unless --profile-label names another one.
	DefaultProfileLabel = "cloud.sap/maintenance-profile"
	// ProfileSeparator is between two aliases.
	ProfileSeparator = "--"

	// StateLabel is the label of a node that has its state over all profiles, if --sap-mirrors is set. The
	// affinity of workloads names it.
	StateLabel = "cloud.sap/maintenance-state"
)

// What scheduled events use of other objects.
const (
	// EventFinalizer is on ScheduledEvents, so that they stay until what they have begun is withdrawn. Only the server
	// sets and removes it.
	EventFinalizer = GroupName + "/withdraw"

	// EventRequestor, followed by the name of the ScheduledEvent, is the spec.requestor of the holds of scheduled events.
	// Only the server itself may use it.
	EventRequestor = GroupName + ":event:"

	// SurgeAnnotation on a MachineSet or a MachineDeployment has the UIDs of the ScheduledEvents that have added a machine
	// to it, joined with commas. It is written together with the number of replicas, so that no crash adds one twice.
	SurgeAnnotation = GroupName + "/surge"

	// SurgeReplicasAnnotation, beside SurgeAnnotation, has the replicas as the server has left them. Others mean that
	// somebody else has set them since: they are not lowered then, and the UIDs are followed by ":kept".
	SurgeReplicasAnnotation = GroupName + "/surge-replicas"

	// NotToldSinceAnnotation on a ScheduledEvent says since when its source did not tell it, if the server ended it for that.
	NotToldSinceAnnotation = GroupName + "/not-told-since"

	// AWSSource is the spec.source of the ScheduledEvents that the server makes of what AWS says.
	AWSSource = "aws" // and in collectedSources
	// ManualSource is the spec.source of ScheduledEvents that name no other one.
	ManualSource = "manual"
)

// collectedSources are the clouds that the server itself asks for events. The names of their ScheduledEvents begin with the
// source and a dot.
var collectedSources = []string{AWSSource}

// CollectedSources returns each spec.source of the ScheduledEvents that the server makes of what a cloud says. Only the
// server itself uses them.
func CollectedSources() []string { return slices.Clone(collectedSources) }

// IsCollected says whether the server itself makes the ScheduledEvents of a source, of what a cloud says.
func IsCollected(source string) bool { return slices.Contains(collectedSources, source) }

// WhyUnreadable is why the server cannot read the object that it has stored; empty: it can. See UnreadableAnnotation.
func WhyUnreadable(object metav1.Object) string { return object.GetAnnotations()[UnreadableAnnotation] }
