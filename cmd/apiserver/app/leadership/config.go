// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
)

// Config is what an Elector is made from. All fields but Former are required.
type Config struct {
	// Client reads and writes the lease, and writes events about it. Each of its requests must end well within RenewDeadline.
	Client kubernetes.Interface
	// Watcher watches the lease. Its requests must have no time limit.
	Watcher kubernetes.Interface
	// Namespace and Name are those of the lease.
	Namespace, Name string
	// Identity is what the lease names as its holder; see NewIdentity.
	Identity string
	// Former begins the identities of processes that have certainly ended, as those did that ran in the same container.
	// Their lease is taken at once. Empty: of none this is certain.
	Former string
	// LeaseDuration is how long others wait for a renewal until they take the lease; in whole seconds.
	LeaseDuration time.Duration
	// RenewDeadline is how long after the last renewal this replica may write; shorter than LeaseDuration by at
	// least a second, since the lease says its times in seconds.
	RenewDeadline time.Duration
	// RetryPeriod is how often the lease is renewed, and how often at least a candidate asks for it.
	RetryPeriod time.Duration
	// Clock tells the time.
	Clock clock.WithTicker
}

// NewIdentity returns an identity that no other process has: that of the pod, or the name of the host if pod is
// empty, then an underscore, and what differs after a restart in the same pod, too.
func NewIdentity(pod string) (string, error) {
	if pod == "" {
		host, err := os.Hostname()
		if err != nil {
			return "", fmt.Errorf("could not find out the name of the host: %w", err)
		}
		pod = host
	}
	return pod + "_" + string(uuid.NewUUID()), nil
}

// newLock returns the lease, still without what it calls.
func (c Config) newLock() *lock {
	lease := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: c.Namespace, Name: c.Name},
		Client:     c.Client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: c.Identity},
	}
	return &lock{LeaseLock: lease, former: c.Former, clock: c.Clock, lasts: c.LeaseDuration, observed: make(chan struct{}, 1)}
}
