// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// However a term ends, the metric says so. Most of these ends are between two renewals of the lease.
func TestMetricSaysWhoLeads(t *testing.T) {
	taken := func(r *metricReplica) {
		drainertest.Change(r.c.Server, r.c.lease(), func(lease *coordinationv1.Lease) { lease.Spec.HolderIdentity = ptr.To("b") })
	}
	for name, end := range map[string]func(r *metricReplica){
		"another replica takes the lease": taken,
		"it was paused, and another replica took the lease": func(r *metricReplica) {
			r.machine.suspend(40 * time.Second)
			taken(r)
		},
		"its work fails": func(r *metricReplica) { close(r.fails) },
		"its work does not end": func(r *metricReplica) {
			r.lingers = 5 * time.Minute
			taken(r)
			r.c.wait(renewDeadline) // for which the library waits for it
		},
		"it is cut off": func(r *metricReplica) {
			r.off.Store(true)
			r.c.wait(renewDeadline)
		},
		"it stops": func(r *metricReplica) { r.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				r := c.startMetricReplica()
				defer func() { r.stop() }()
				c.wait(time.Minute + retryPeriod/10)
				wantMetric(t, 1)
				end(r)
				c.wait(retryPeriod / 10)
				wantMetric(t, 0)
			})
		})
	}
}

// metricReplica is a replica on a machine that may be suspended, whose work fails when fails is closed.
type metricReplica struct {
	*replica
	machine *suspendable
	fails   chan struct{}
}

func (c *cluster) startMetricReplica() *metricReplica {
	c.t.Helper()
	r := &metricReplica{replica: c.newReplica("a"), machine: &suspendable{}, fails: make(chan struct{})}
	r.config.Clock, r.fence.clock, r.lock.clock = r.machine, r.machine, r.machine
	r.start(func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			time.Sleep(r.lingers)
			return nil
		case <-r.fails:
			return errors.New("no drains today")
		}
	})
	return r
}

// wantMetric compares whether the metric says that this replica leads.
func wantMetric(t *testing.T, want int) {
	t.Helper()
	const name = "leader_election_master_status"
	text := fmt.Sprintf(`# HELP %[1]s [ALPHA] Gauge of if the reporting system is master of the relevant lease, `+
		`0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.
		# TYPE %[1]s gauge
		%[1]s{name=%[2]q} %[3]d
	`, name, leaseName, want)
	if err := testutil.GatherAndCompare(legacyregistry.DefaultGatherer, strings.NewReader(text), name); err != nil {
		t.Error(err)
	}
}
