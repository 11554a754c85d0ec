// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"sync"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Epoch is the term of leading in which a process keeps the ledger. All parts of a process that write the ledger share
// one, so that none of them takes another for the next leader. The zero value is ready for use.
type Epoch struct {
	mu sync.Mutex
	// parts is how many parts take part in the term.
	parts int
	// begun is the ledger as this term began to keep it; nil: it does not yet.
	begun *v1beta1.MaintenanceLedger
	// ending says that it was to be deleted, and that it is not known whether it was.
	ending bool
}

// Join has a part of the process take part in the term, until it calls leave. The first one begins a new term.
func (e *Epoch) Join() (leave func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.parts == 0 {
		e.begun, e.ending = nil, false
	}
	e.parts++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.parts--
	}
}

// accepts says whether the ledger is kept by this term, or by nobody.
func (e *Epoch) accepts(stored *v1beta1.MaintenanceLedger) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if stored == nil && e.ending {
		e.begun = nil
	}
	e.ending = false
	return e.begun == nil || SameTerm(e.begun, stored)
}

// forget has the term begin anew.
func (e *Epoch) forget(begun *v1beta1.MaintenanceLedger) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun == begun {
		e.begun = nil
	}
}

// SameTerm says whether the ledger is kept by the term that has begun it so.
func SameTerm(begun, stored *v1beta1.MaintenanceLedger) bool {
	return stored != nil && stored.UID == begun.UID && stored.Spec.Epoch == begun.Spec.Epoch
}
