// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fuzzer fills the types of the maintenance.medik8s.io API with random
// values, for tests that convert them between versions.
package fuzzer

import (
	runtimeserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// Funcs returns the functions that fill those types for which plain random values do not
// work.
var Funcs = func(runtimeserializer.CodecFactory) []any {
	return []any{
		func(hold *maintenance.NodeMaintenance, c randfill.Continue) {
			c.FillNoCustom(hold)
			// Only the codec of the store keeps them, and no served version has them.
			hold.Unknown = ""
		},
		func(policy *maintenance.MaintenancePolicy, c randfill.Continue) {
			c.FillNoCustom(policy)
			policy.Unknown = ""
		},
		func(ledger *maintenance.MaintenanceLedger, c randfill.Continue) {
			c.FillNoCustom(ledger)
			ledger.Unknown = ""
		},
		func(profile *maintenance.MaintenanceProfile, c randfill.Continue) {
			c.FillNoCustom(profile)
			profile.Unknown = ""
		},
		func(endpoint *maintenance.MaintenanceEndpoint, c randfill.Continue) {
			c.FillNoCustom(endpoint)
			endpoint.Unknown = ""
		},
		func(profile *maintenance.NodeProfile, c randfill.Continue) {
			c.FillNoCustom(profile)
			profile.Unknown = ""
		},
		func(event *maintenance.ScheduledEvent, c randfill.Continue) {
			c.FillNoCustom(event)
			event.Unknown = ""
		},
		func(spec *maintenance.NodeMaintenanceSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			// Decoding sets the default, so an empty stage does not come back empty.
			if spec.Stage == "" {
				spec.Stage = maintenance.StageDrain
			}
		},
		func(drain *maintenance.DrainSpec, c randfill.Continue) {
			c.FillNoCustom(drain)
			drain.OnTimeout = maintenance.OnTimeoutDelete
			drain.UnmanagedPods = maintenance.PolicyBlock
			drain.EmptyDirPods = maintenance.PolicyBlock
		},
		func(stop *maintenance.PolicyAutoStop, c randfill.Continue) {
			c.FillNoCustom(stop)
			stop.WindowSeconds = ptr.To[int64](1)
		},
		func(schedule *maintenance.PolicySchedule, c randfill.Continue) {
			c.FillNoCustom(schedule)
			schedule.TimeZone = "Europe/Berlin"
		},
		func(approvals *maintenance.PolicyApprovals, c randfill.Continue) {
			c.FillNoCustom(approvals)
			approvals.ValidSeconds = ptr.To[int64](1)
		},
		func(gates *maintenance.PolicyGates, c randfill.Continue) {
			c.FillNoCustom(gates)
			gates.ReleaseTimeoutSeconds = ptr.To[int64](1)
		},
		func(queue *maintenance.PolicyQueueSpec, c randfill.Continue) {
			c.FillNoCustom(queue)
			queue.MarkWaiting, queue.AgingSeconds = ptr.To(false), ptr.To[int64](1)
		},
		func(events *maintenance.PolicyEvents, c randfill.Continue) {
			c.FillNoCustom(events)
			events.AtLatestStart = maintenance.LatestStartWait
		},
		func(replacement *maintenance.PolicyReplacement, c randfill.Continue) {
			c.FillNoCustom(replacement)
			replacement.TimeoutSeconds = ptr.To[int64](1)
		},
		func(spec *maintenance.ScheduledEventSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.Source, spec.State = "tickets", maintenance.EventCompleted
		},
		func(spec *maintenance.MaintenanceProfileSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.Mode, spec.OnDetach = maintenance.ProfilePaused, maintenance.DetachRelease
			spec.NodeGoneSeconds = ptr.To[int64](1)
		},
		func(hold *maintenance.ProfileHold, c randfill.Continue) {
			c.FillNoCustom(hold)
			hold.Stage = maintenance.StageCordon
		},
		func(spec *maintenance.MaintenanceEndpointSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.TimeoutSeconds, spec.PerMinute = ptr.To[int32](1), ptr.To[int32](1)
		},
		func(smtp *maintenance.SMTPEndpoint, c randfill.Continue) {
			c.FillNoCustom(smtp)
			smtp.TLS, smtp.Auth = maintenance.SMTPTLS, maintenance.SMTPLogin
		},
	}
}
