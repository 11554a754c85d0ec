// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// jitter is by how much of an interval rounds are apart more than it says, so that clusters do not ask a cloud at the
	// same time.
	jitter = 0.1
	// roundTimeout is how long a round may take. What is left is done in the next one.
	roundTimeout = 5 * time.Minute
	// BusyInterval is the most time between two rounds while an integration waits for something.
	BusyInterval = 10 * time.Second
)

// Loop does one round after another until ctx is done, with the interval between them. A round says whether it waits
// for something: then the next one is sooner.
func Loop(ctx context.Context, clock clock.Clock, interval time.Duration, round func(context.Context) (waits bool)) {
	for ctx.Err() == nil {
		pause := wait.Jitter(interval, jitter)
		if bounded(ctx, round) {
			pause = min(pause, BusyInterval)
		}
		timer := clock.NewTimer(pause)
		select {
		case <-timer.C():
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// bounded does one round, and says so if it takes too long.
func bounded(ctx context.Context, round func(context.Context) (waits bool)) (waits bool) {
	inTime, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	waits = round(inTime)
	if ctx.Err() == nil && inTime.Err() != nil {
		klog.FromContext(ctx).Error(inTime.Err(), "A round did not end in time", "timeout", roundTimeout)
	}
	return waits
}
