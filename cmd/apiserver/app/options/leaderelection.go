// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/leaderelection"
	cliflag "k8s.io/component-base/cli/flag"
)

// LeaderElectionOptions is how the replicas agree on the one that leads: that cordons, drains and gives back.
type LeaderElectionOptions struct {
	// Elect says whether this replica leads only while it holds the lease. Complete sets it if it is unset.
	Elect cliflag.Tristate
	// LeaseDuration is how long the others wait for a renewal until they take the lease.
	LeaseDuration time.Duration
	// RenewDeadline is how long after the last renewal the leader may act.
	RenewDeadline time.Duration
	// RetryPeriod is how often the leader renews the lease.
	RetryPeriod time.Duration
	// ResourceName is the name of the lease. Its namespace is that of the Service.
	ResourceName string
}

func newLeaderElectionOptions() *LeaderElectionOptions {
	return &LeaderElectionOptions{
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		ResourceName:  "maintenance-apiserver",
	}
}

func (o *LeaderElectionOptions) addFlags(fs *pflag.FlagSet) {
	fs.VarPF(&o.Elect, "leader-elect", "",
		"Whether this replica changes nodes and pods only while it holds a lease, so that of several replicas only one does. All of "+
			"them serve the API. Default: true, or false with an embedded store, which only one process can use.").NoOptDefVal = "true"
	fs.DurationVar(&o.LeaseDuration, "leader-elect-lease-duration", o.LeaseDuration,
		"How long the other replicas wait after a renewal of the lease until one of them takes it, in whole seconds.")
	fs.DurationVar(&o.RenewDeadline, "leader-elect-renew-deadline", o.RenewDeadline,
		"How long after its last renewal of the lease the leader may change nodes and pods. At least 1s shorter than --leader-elect-lease-duration.")
	fs.DurationVar(&o.RetryPeriod, "leader-elect-retry-period", o.RetryPeriod,
		"How often the leader renews the lease. Less than 1/1.2 of --leader-elect-renew-deadline.")
	fs.StringVar(&o.ResourceName, "leader-elect-resource-name", o.ResourceName,
		"Name of the lease. It is in the namespace of --service.")
}

// leaseSteps is how exact a Lease says its times: another replica may count it as that much older.
const leaseSteps = time.Second

// complete sets the default of Elect. embedded says that no other process can use the store.
func (o *LeaderElectionOptions) complete(embedded bool) {
	if !o.Elect.Provided() {
		o.Elect.Default(!embedded)
	}
}

func (o *LeaderElectionOptions) validate() []error {
	var errs []error
	if o.LeaseDuration < time.Second || o.LeaseDuration%time.Second != 0 {
		errs = append(errs, fmt.Errorf("--leader-elect-lease-duration must be at least 1s, and in whole seconds, not %s", o.LeaseDuration))
	}
	if o.RenewDeadline > o.LeaseDuration-leaseSteps {
		errs = append(errs, fmt.Errorf("--leader-elect-renew-deadline must be at least %s shorter than --leader-elect-lease-duration (%s), not %s",
			leaseSteps, o.LeaseDuration, o.RenewDeadline))
	}
	if o.RetryPeriod <= 0 {
		errs = append(errs, fmt.Errorf("--leader-elect-retry-period must be greater than 0, not %s", o.RetryPeriod))
	}
	if least := time.Duration(leaderelection.JitterFactor * float64(o.RetryPeriod)); o.RenewDeadline <= least {
		errs = append(errs, fmt.Errorf("--leader-elect-renew-deadline must be longer than %g times --leader-elect-retry-period (%s), not %s",
			leaderelection.JitterFactor, least, o.RenewDeadline))
	}
	if len(validation.IsDNS1123Subdomain(o.ResourceName)) > 0 {
		errs = append(errs, fmt.Errorf("--leader-elect-resource-name must be the name of a Lease, not %q", o.ResourceName))
	}
	return errs
}
