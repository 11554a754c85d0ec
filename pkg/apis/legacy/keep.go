// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// Keep completes a hold that a client of a former version has written: everything that the version cannot
// say, and everything that the client has not changed, stays as stored. seen is the stored hold as the
// client saw it: converted to the client's version, and back. stored and seen are not changed.
func Keep(written, stored, seen *maintenance.NodeMaintenance) {
	nodeName, reason := written.Spec.NodeName, written.Spec.Reason
	status := written.Status
	stored = stored.DeepCopy()
	written.Spec, written.Status = stored.Spec, stored.Status
	written.Spec.NodeName, written.Spec.Reason = nodeName, reason
	keepStatus(&written.Status, &status, &seen.Status)
}

func keepStatus(stored, written, seen *maintenance.NodeMaintenanceStatus) {
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
