// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
)

// A pause follows each look at the cluster. It grows with each one that changed something or failed, so that two
// parties that disagree about a caBundle do not change it in turn as fast as they can.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 30 * time.Second
	// longestOutage is the longest pause where the aggregator did not trust this server. The API is down then, which
	// costs more than a write every few seconds.
	longestOutage = 5 * time.Second
	// calm is how long nothing must be changed and nothing fail until the pauses are short again.
	calm = time.Minute
)

// pauses knows how long the next pause is.
type pauses struct {
	clock  clock.PassiveClock
	growth wait.Backoff
	// restless is the time when something was last changed or failed.
	restless time.Time
}

// after returns the pause after a look at the cluster, which was restless if it changed something or failed. outage says
// that the aggregator did not trust this server.
func (p *pauses) after(restless, outage bool) time.Duration {
	if !restless {
		return shortestPause
	}
	pause := p.grow()
	if outage {
		pause = min(pause, longestOutage)
	}
	return pause
}

// grow returns a longer pause each time, until it was calm.
func (p *pauses) grow() time.Duration {
	if p.clock.Since(p.restless) > calm {
		p.growth = wait.Backoff{Duration: shortestPause, Factor: 2, Jitter: 0.1, Steps: 20, Cap: longestPause}
	}
	p.restless = p.clock.Now()
	return p.growth.Step()
}
