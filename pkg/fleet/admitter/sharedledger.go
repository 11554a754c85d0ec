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

// ledgerShared is the time for which explanations are made from the same ledger. It is large, and dry runs may come in a loop.
// Holds and nodes are as they are: those that a ledger of before lacks are decided about again.
const ledgerShared = time.Second

// sharedLedger is the ledger for explanations.
type sharedLedger struct {
	client typedv1beta1.MaintenanceLedgerInterface
	clock  clock.PassiveClock

	// mu is held while the ledger is read, so that all who ask meanwhile share the answer.
	mu   sync.Mutex
	last v1beta1.MaintenanceLedgerSpec
	// read is the time when it was; zero: it is not known.
	read time.Time
}

// spec is what the ledger said a second ago at most. The caller does not change it.
func (s *sharedLedger) spec(ctx context.Context) (v1beta1.MaintenanceLedgerSpec, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if age := now.Sub(s.read); !s.read.IsZero() && age >= 0 && age < ledgerShared {
		return s.last, nil
	}
	s.last, s.read = v1beta1.MaintenanceLedgerSpec{}, time.Time{}
	stored, err := ledger.Get(ctx, s.client)
	if err != nil {
		return s.last, err
	}
	if stored != nil {
		s.last = stored.Spec
	}
	s.read = now
	return s.last, nil
}
