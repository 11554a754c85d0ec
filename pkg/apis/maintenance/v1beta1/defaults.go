// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

func addDefaultingFuncs(scheme *runtime.Scheme) error {
	return RegisterDefaults(scheme)
}

// SetDefaults_NodeMaintenanceSpec sets the stage to Drain if it is empty. defaulter-gen
// finds the function by its name.
func SetDefaults_NodeMaintenanceSpec(spec *NodeMaintenanceSpec) {
	if spec.Stage == "" {
		spec.Stage = StageDrain
	}
}

// SetDefaults_DrainSpec sets the fields that are empty, so that the object shows what the
// drain does.
func SetDefaults_DrainSpec(drain *DrainSpec) {
	if drain.OnTimeout == "" {
		drain.OnTimeout = OnTimeoutReport
	}
	if drain.UnmanagedPods == "" {
		drain.UnmanagedPods = PolicyEvict
	}
	if drain.EmptyDirPods == "" {
		drain.EmptyDirPods = PolicyEvict
	}
}

// The times, in seconds, that a policy has if it does not set them. Items of lists have no defaults: with them, what a
// client has applied would differ from what is stored, each time that it is applied again.
const (
	defaultAutoStopWindow = 24 * 60 * 60
	defaultApprovalValid  = 24 * 60 * 60
	defaultReleaseTimeout = 30 * 60
	defaultAging          = 60 * 60
	defaultReplacement    = 30 * 60
)

// SetDefaults_PolicyAutoStop has failures count for a day.
func SetDefaults_PolicyAutoStop(stop *PolicyAutoStop) {
	setDefault(&stop.WindowSeconds, defaultAutoStopWindow)
}

// SetDefaults_PolicySchedule has times of day be those of UTC.
func SetDefaults_PolicySchedule(schedule *PolicySchedule) {
	if schedule.TimeZone == "" {
		schedule.TimeZone = "UTC"
	}
}

// SetDefaults_PolicyApprovals has an approval count for a day.
func SetDefaults_PolicyApprovals(approvals *PolicyApprovals) {
	setDefault(&approvals.ValidSeconds, defaultApprovalValid)
}

// SetDefaults_PolicyGates gives release gates half an hour.
func SetDefaults_PolicyGates(gates *PolicyGates) {
	setDefault(&gates.ReleaseTimeoutSeconds, defaultReleaseTimeout)
}

// SetDefaults_PolicyQueueSpec marks nodes that wait, and has the oldest wait for an hour before it reserves room.
func SetDefaults_PolicyQueueSpec(queue *PolicyQueueSpec) {
	setDefault(&queue.MarkWaiting, true)
	setDefault(&queue.AgingSeconds, defaultAging)
}

// SetDefaults_PolicyEvents has drains start in time, whatever policies say.
func SetDefaults_PolicyEvents(events *PolicyEvents) {
	if events.AtLatestStart == "" {
		events.AtLatestStart = LatestStartStart
	}
}

// SetDefaults_PolicyReplacement gives a new machine half an hour. Which strategy is usual depends on the machine.
func SetDefaults_PolicyReplacement(replacement *PolicyReplacement) {
	setDefault(&replacement.TimeoutSeconds, defaultReplacement)
}

// SetDefaults_ScheduledEventSpec has events be those of people, and be to happen.
func SetDefaults_ScheduledEventSpec(spec *ScheduledEventSpec) {
	if spec.Source == "" {
		spec.Source = ManualSource
	}
	if spec.State == "" {
		spec.State = EventScheduled
	}
}

// SetDefaults_MaintenanceProfileSpec has a profile act, finish what it has begun, and wait for nodes that are gone.
func SetDefaults_MaintenanceProfileSpec(spec *MaintenanceProfileSpec) {
	if spec.Mode == "" {
		spec.Mode = ProfileActive
	}
	if spec.OnDetach == "" {
		spec.OnDetach = DetachFinish
	}
	setDefault(&spec.NodeGoneSeconds, DefaultNodeGoneSeconds)
}

// SetDefaults_ProfileHold has the hold of a state drain the node.
func SetDefaults_ProfileHold(hold *ProfileHold) {
	if hold.Stage == "" {
		hold.Stage = StageDrain
	}
}

// SetDefaults_MaintenanceEndpointSpec bounds how long calls take, and how many there are.
func SetDefaults_MaintenanceEndpointSpec(spec *MaintenanceEndpointSpec) {
	setDefault(&spec.TimeoutSeconds, DefaultEndpointTimeoutSeconds)
	setDefault(&spec.PerMinute, DefaultEndpointPerMinute)
	if spec.SMTP != nil {
		setSMTPDefaults(spec.SMTP, spec.SecretRef != nil)
	}
}

func setSMTPDefaults(smtp *SMTPEndpoint, hasSecret bool) {
	if smtp.TLS == "" {
		smtp.TLS = SMTPStartTLS
	}
	if smtp.Auth == "" && hasSecret {
		smtp.Auth = SMTPPlain
	}
	if smtp.Auth == "" {
		smtp.Auth = SMTPNoAuthentication
	}
}

// setDefault sets a field that is not set.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = ptr.To(value)
	}
}
