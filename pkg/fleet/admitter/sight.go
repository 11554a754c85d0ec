// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
)

// sightLasts is how long ago our own server may have shown the ledger. Nodes that are admitted together are confirmed
// with one answer.
const sightLasts = time.Second

// sight is the ledger as our own server has shown it last, for the gate.
type sight struct {
	client typedv1beta1.MaintenanceLedgerInterface
	clock  clock.PassiveClock
	// reading is held during a request, so that all who wait share its answer.
	reading sync.Mutex

	mu sync.Mutex
	// stored is what was shown when the server was asked at that time.
	stored *v1beta1.MaintenanceLedger
	asked  time.Time
}

// saw notes an answer of our own server.
func (s *sight) saw(stored *v1beta1.MaintenanceLedger, asked time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !asked.Before(s.asked) {
		s.stored, s.asked = stored, asked
	}
}

// confirms says whether the ledger is as it must be: now, or a moment ago.
func (s *sight) confirms(ctx context.Context, must func(*v1beta1.MaintenanceLedger) bool) (bool, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if stored := s.recent(); stored != nil && must(stored) {
		return true, nil
	}
	asked := s.clock.Now()
	stored, err := ledger.Get(ctx, s.client)
	if err != nil {
		return false, err
	}
	s.saw(stored, asked)
	return stored != nil && must(stored), nil
}

// recent is what was shown a moment ago; nil: nothing.
func (s *sight) recent() *v1beta1.MaintenanceLedger {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ledger.Age(s.asked, s.clock.Now()) > sightLasts {
		return nil
	}
	return s.stored
}
