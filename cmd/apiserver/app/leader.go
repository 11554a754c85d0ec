// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
)

// newElector returns what decides whether this replica leads; nil if it leads all the time.
func newElector(config *rest.Config, o *options.Options) (*leadership.Elector, error) {
	election := o.LeaderElection
	if !election.Elect.Value() {
		return nil, nil
	}
	pod, former := o.Registration.OwnPod.Name, ""
	if uid := o.Registration.OwnPodUID; uid != "" {
		pod += "_" + uid
		if os.Getpid() == 1 { // the main process of its container, which was started since the last one has ended
			former = pod + "_"
		}
	}
	identity, err := leadership.NewIdentity(pod)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.UserAgent += "/leader-election"
	watcher, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client to watch the lease: %w", err)
	}
	config.Timeout = election.RenewDeadline / 2 // so that a request that hangs is not the last
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the lease: %w", err)
	}
	return leadership.New(leadership.Config{
		Client: client, Watcher: watcher, Namespace: o.Registration.Namespace(), Name: election.ResourceName, Identity: identity, Former: former,
		LeaseDuration: election.LeaseDuration, RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod,
		Clock: clock.RealClock{},
	})
}
