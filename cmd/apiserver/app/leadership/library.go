// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"k8s.io/client-go/tools/leaderelection"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // the metrics leader_election_master_status and rest_client_*
)

// libraryLevel is the level at which the library logs. It says little more than Elector does, and says it each
// time it asks for the lease.
const libraryLevel = 4

// newLibrary returns the library's elector for this lease. The metric says then that this replica does not lead.
func (e *Elector) newLibrary() (*leaderelection.LeaderElector, error) {
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: e.lock, Name: e.config.Name, ReleaseOnCancel: true,
		LeaseDuration: e.config.LeaseDuration, RenewDeadline: e.config.RenewDeadline, RetryPeriod: e.config.RetryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: e.lead, OnStoppedLeading: func() {}, OnNewLeader: e.tellLeader,
		},
	})
}

// resetMetric has the metric say that this replica does not lead. The library does so when a renewal fails, and when
// an elector is made, but not when it is stopped between two renewals. The elector in use stays: it knows since when
// the lease is as it is.
func (e *Elector) resetMetric() {
	_, _ = e.newLibrary() // which succeeded in New
}
