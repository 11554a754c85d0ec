// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// pingTimeout bounds how long the cluster may take to answer readyz.
	pingTimeout = 2 * time.Second
	// failureInterval is how often readyz asks the cluster while that does not answer.
	failureInterval = time.Second
)

// lastAnswer asks the cluster whether it answers, and keeps what it said for a while: readyz is asked often. Failures are
// kept for less time than answers, so that the server is ready as soon as the cluster is.
type lastAnswer struct {
	ask   func(context.Context) error
	clock clock.PassiveClock

	mu    sync.Mutex
	asked time.Time
	err   error
}

// check implements a health check. A client that does not wait for the answer does not end the question, since the
// answer is for the next ones too.
func (a *lastAnswer) check(request *http.Request) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.clock.Now(); a.asked.IsZero() || now.Sub(a.asked) >= a.interval() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(request.Context()), pingTimeout)
		defer cancel()
		a.asked, a.err = now, a.ask(ctx)
	}
	return a.err
}

// interval is how long the last answer counts.
func (a *lastAnswer) interval() time.Duration {
	if a.err != nil {
		return failureInterval
	}
	return externalInterval
}
