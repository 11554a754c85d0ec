// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fuzzer fills the types of the maintenance.medik8s.io API with random
// values, for tests that convert them between versions.
package fuzzer

import (
	runtimeserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Funcs returns the functions that fill those types for which plain random values do not
// work.
var Funcs = func(runtimeserializer.CodecFactory) []any {
	return []any{
		func(hold *v1beta1.NodeMaintenance, c randfill.Continue) {
			c.FillNoCustom(hold)
			// Only the codec of the store keeps them, and no served version has them.
			hold.Unknown = ""
		},
		func(policy *v1beta1.MaintenancePolicy, c randfill.Continue) {
			c.FillNoCustom(policy)
			policy.Unknown = ""
		},
		func(ledger *v1beta1.MaintenanceLedger, c randfill.Continue) {
			c.FillNoCustom(ledger)
			ledger.Unknown = ""
		},
		func(profile *v1beta1.MaintenanceProfile, c randfill.Continue) {
			c.FillNoCustom(profile)
			profile.Unknown = ""
		},
		func(endpoint *v1beta1.MaintenanceEndpoint, c randfill.Continue) {
			c.FillNoCustom(endpoint)
			endpoint.Unknown = ""
		},
		func(profile *v1beta1.NodeProfile, c randfill.Continue) {
			c.FillNoCustom(profile)
			profile.Unknown = ""
		},
		func(event *v1beta1.ScheduledEvent, c randfill.Continue) {
			c.FillNoCustom(event)
			event.Unknown = ""
		},
		func(spec *v1beta1.NodeMaintenanceSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			// Decoding sets the default, so an empty stage does not come back empty.
			if spec.Stage == "" {
				spec.Stage = v1beta1.StageDrain
			}
		},
		func(drain *v1beta1.DrainSpec, c randfill.Continue) {
			c.FillNoCustom(drain)
			drain.OnTimeout = v1beta1.OnTimeoutDelete
			drain.UnmanagedPods = v1beta1.PolicyBlock
			drain.EmptyDirPods = v1beta1.PolicyBlock
		},
		func(stop *v1beta1.PolicyAutoStop, c randfill.Continue) {
			c.FillNoCustom(stop)
			stop.WindowSeconds = ptr.To[int64](1)
		},
		func(schedule *v1beta1.PolicySchedule, c randfill.Continue) {
			c.FillNoCustom(schedule)
			schedule.TimeZone = "Europe/Berlin"
		},
		func(approvals *v1beta1.PolicyApprovals, c randfill.Continue) {
			c.FillNoCustom(approvals)
			approvals.ValidSeconds = ptr.To[int64](1)
		},
		func(gates *v1beta1.PolicyGates, c randfill.Continue) {
			c.FillNoCustom(gates)
			gates.ReleaseTimeoutSeconds = ptr.To[int64](1)
		},
		func(queue *v1beta1.PolicyQueueSpec, c randfill.Continue) {
			c.FillNoCustom(queue)
			queue.MarkWaiting, queue.AgingSeconds = ptr.To(false), ptr.To[int64](1)
		},
		func(events *v1beta1.PolicyEvents, c randfill.Continue) {
			c.FillNoCustom(events)
			events.AtLatestStart = v1beta1.LatestStartWait
		},
		func(replacement *v1beta1.PolicyReplacement, c randfill.Continue) {
			c.FillNoCustom(replacement)
			replacement.TimeoutSeconds = ptr.To[int64](1)
		},
		func(spec *v1beta1.ScheduledEventSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.Source, spec.State = "tickets", v1beta1.EventCompleted
		},
		func(spec *v1beta1.MaintenanceProfileSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.Mode, spec.OnDetach = v1beta1.ProfilePaused, v1beta1.DetachRelease
			spec.NodeGoneSeconds = ptr.To[int64](1)
		},
		func(hold *v1beta1.ProfileHold, c randfill.Continue) {
			c.FillNoCustom(hold)
			hold.Stage = v1beta1.StageCordon
		},
		func(spec *v1beta1.MaintenanceEndpointSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.TimeoutSeconds, spec.PerMinute = ptr.To[int32](1), ptr.To[int32](1)
		},
		func(smtp *v1beta1.SMTPEndpoint, c randfill.Continue) {
			c.FillNoCustom(smtp)
			smtp.TLS, smtp.Auth = v1beta1.SMTPTLS, v1beta1.SMTPLogin
		},
	}
}
