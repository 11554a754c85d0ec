// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"
	"time"
)

const (
	// slowEvaluation is from how long on an evaluation is slow. Most take microseconds, and the bounds of expressions let one
	// of a profile with many checks take seconds.
	slowEvaluation = 250 * time.Millisecond
	// slowWorkers is how many NodeProfiles of slow profiles are visited at the same time. The other workers are for the others.
	slowWorkers = workers / 2
	// slowAgain is the time after which a NodeProfile is visited again for which there was no worker.
	slowAgain = time.Second
)

// slow has the profiles whose evaluations are slow wait for each other, and not the others for them.
type slow struct {
	mu sync.Mutex
	// profiles are those whose last evaluation was slow, by their names.
	profiles map[string]bool
	visited  int
}

// note notes how long an evaluation of a profile took.
func (s *slow) note(profile string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if took < slowEvaluation {
		delete(s.profiles, profile)
		return
	}
	s.profiles[profile] = true
}

// forget forgets a profile that is gone.
func (s *slow) forget(profile string) { s.note(profile, 0) }

// enter says whether a NodeProfile of a profile may be visited now. If so, leave is to be called afterwards.
func (s *slow) enter(profile string) (leave func(), may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.profiles[profile] {
		return func() {}, true
	}
	if s.visited == slowWorkers {
		return nil, false
	}
	s.visited++
	return s.leave, true
}

func (s *slow) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visited--
}
