// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"testing"
)

// Work beside draining begins with each term, and a term ends only after it has returned.
func TestLeadBeside(t *testing.T) {
	inWatched(t, func(c *cluster) {
		begun, ended := 0, 0
		c.drainer.LeadBeside(func(ctx context.Context) {
			begun++
			<-ctx.Done()
			ended++
		})
		for term := 1; term <= 2; term++ {
			ctx, stop := context.WithCancel(context.Background())
			over := make(chan error)
			go func() { over <- c.drainer.Lead(ctx) }()
			c.settle()
			if begun != term || ended != term-1 {
				t.Errorf("in term %d: begun %d times, ended %d times", term, begun, ended)
			}
			stop()
			if err := <-over; err != nil || ended != term {
				t.Errorf("after term %d: ended %d times, %v", term, ended, err)
			}
		}
	})
}
