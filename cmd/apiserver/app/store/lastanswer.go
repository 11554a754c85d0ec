// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// pingTimeout bounds how long the cluster may take to answer readyz.
const pingTimeout = 2 * time.Second

// lastAnswer asks the cluster whether it answers, and keeps what it said for a while: readyz is asked often.
type lastAnswer struct {
	ask   func(context.Context) error
	clock clock.PassiveClock

	mu    sync.Mutex
	asked time.Time
	err   error
}

// check implements a health check.
func (a *lastAnswer) check(request *http.Request) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.clock.Now(); a.asked.IsZero() || now.Sub(a.asked) >= externalInterval {
		ctx, cancel := context.WithTimeout(request.Context(), pingTimeout)
		defer cancel()
		a.asked, a.err = now, a.ask(ctx)
	}
	if a.err != nil {
		return fmt.Errorf("the cluster that stores the objects does not answer: %w", a.err)
	}
	return nil
}
