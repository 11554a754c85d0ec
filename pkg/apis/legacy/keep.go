// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Keep completes a hold that a client of a former version has written: everything that the version cannot
// say, and everything that the client has not changed, stays as stored. seen is the stored hold as the
// client saw it: converted to the client's version, and back. stored and seen are not changed.
func Keep(written, stored, seen *v1beta1.NodeMaintenance) {
	spec, status := written.Spec, written.Status
	stored = stored.DeepCopy()
	written.Spec, written.Status = stored.Spec, stored.Status
	keepSpec(&written.Spec, &spec, &seen.Spec)
	keepStatus(&written.Status, &status, &seen.Status)
}

// keepSpec also takes what the cluster's webhooks have changed since: to them, what the version cannot say
// looks like the defaults.
func keepSpec(stored, written, seen *v1beta1.NodeMaintenanceSpec) {
	stored.NodeName, stored.Reason = written.NodeName, written.Reason
	take(&stored.Requestor, written.Requestor, seen.Requestor)
	take(&stored.Stage, written.Stage, seen.Stage)
	take(&stored.ExpirationSeconds, written.ExpirationSeconds, seen.ExpirationSeconds)
	take(&stored.OverrideQuorum, written.OverrideQuorum, seen.OverrideQuorum)
	take(&stored.Priority, written.Priority, seen.Priority)
	take(&stored.NotBefore, written.NotBefore, seen.NotBefore)
	take(&stored.StartDeadline, written.StartDeadline, seen.StartDeadline)
	take(&stored.BypassPolicies, written.BypassPolicies, seen.BypassPolicies)
	keepDrain(&stored.Drain, &written.Drain, &seen.Drain)
}

func keepDrain(stored, written, seen *v1beta1.DrainSpec) {
	take(&stored.PodSelector, written.PodSelector, seen.PodSelector)
	take(&stored.GracePeriodSeconds, written.GracePeriodSeconds, seen.GracePeriodSeconds)
	take(&stored.TimeoutSeconds, written.TimeoutSeconds, seen.TimeoutSeconds)
	take(&stored.OnTimeout, written.OnTimeout, seen.OnTimeout)
	take(&stored.UnmanagedPods, written.UnmanagedPods, seen.UnmanagedPods)
	take(&stored.EmptyDirPods, written.EmptyDirPods, seen.EmptyDirPods)
	take(&stored.Rules, written.Rules, seen.Rules)
}

func keepStatus(stored, written, seen *v1beta1.NodeMaintenanceStatus) {
	take(&stored.Phase, written.Phase, seen.Phase)
	take(&stored.DrainProgress, written.DrainProgress, seen.DrainProgress)
	take(&stored.LastUpdate, written.LastUpdate, seen.LastUpdate)
	take(&stored.LastError, written.LastError, seen.LastError)
	take(&stored.TotalPods, written.TotalPods, seen.TotalPods)
	take(&stored.EvictionPods, written.EvictionPods, seen.EvictionPods)
	take(&stored.LeaseErrorCount, written.LeaseErrorCount, seen.LeaseErrorCount)
	if take(&stored.PendingPods, written.PendingPods, seen.PendingPods) {
		stored.PendingPodCount = written.PendingPodCount
	}
}

// take stores what was written if the client has changed it, and says whether it has.
func take[T any](stored *T, written, seen T) bool {
	if apiequality.Semantic.DeepEqual(written, seen) {
		return false
	}
	*stored = written
	return true
}
