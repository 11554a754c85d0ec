// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
)

// The times of the lease are the defaults of the server.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	// takeTimeout is how long taking the lease may last: one that a crashed server held runs out meanwhile.
	takeTimeout = leaseDuration + 5*time.Second
)

// whileNobodyLeads does the work while it holds the lease, so that no server leads. If the lease is lost, the context of
// the work ends.
func whileNobodyLeads(ctx context.Context, config *rest.Config, lease types.NamespacedName, work func(context.Context) error) error {
	elector, err := newElector(config, lease)
	if err != nil {
		return err
	}
	ctx, done := context.WithCancel(klog.NewContext(ctx, klog.Background().V(2))) // of the election, only errors are told
	defer done()
	late := time.AfterFunc(takeTimeout, done)
	result := fmt.Errorf("could not take the lease %s within %s, which keeps servers from leading meanwhile: see whether the namespace "+
		"exists, and whether you may create and update leases there", lease, takeTimeout)
	elector.Run(ctx, func(ctx context.Context) error {
		if late.Stop() {
			result = work(ctx)
		}
		done()
		return nil // nothing of the work goes on, whatever its result, so the lease is given up
	})
	return result
}

func newElector(config *rest.Config, lease types.NamespacedName) (*leadership.Elector, error) {
	identity, err := leadership.NewIdentity("migrate-store")
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.Timeout = 0
	watcher, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client to watch the lease: %w", err)
	}
	config.Timeout = renewDeadline / 2 // so that a request that hangs is not the last
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the lease: %w", err)
	}
	return leadership.New(leadership.Config{
		Client: client, Watcher: watcher, Namespace: lease.Namespace, Name: lease.Name, Identity: identity,
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, Clock: clock.RealClock{},
	})
}
