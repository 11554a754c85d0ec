// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

var (
	// errDeposed means that another process has begun a term.
	errDeposed = errors.New("another process keeps the ledger")
	// errTooOld means that a decision took so long that its facts may be wrong by now.
	errTooOld = errors.New("the decision is too old")
)

// ledger is the one MaintenanceLedger as a term knows it. Only the decider's goroutine uses it.
type ledger struct {
	client typedv1beta1.MaintenanceLedgerInterface
	clock  clock.PassiveClock
	// known says whether stored is what our own server has said last, and nobody was to change it since.
	known  bool
	stored *v1beta1.MaintenanceLedger // nil: there is none
	// begun is the ledger as this term began to keep it; nil: it does not yet.
	begun *v1beta1.MaintenanceLedger
	// ending says that it was to be deleted, and that it is not known whether it was.
	ending bool
	// said is told of each answer that shows the ledger as it was after asked.
	said func(stored *v1beta1.MaintenanceLedger, asked time.Time)
}

// read reads the ledger unless it is known. It fails with errDeposed if another term has begun since this one.
func (l *ledger) read(ctx context.Context) error {
	if l.known {
		return nil
	}
	asked := l.clock.Now()
	stored, err := readLedger(ctx, l.client)
	if err != nil {
		return err
	}
	if stored == nil && l.ending {
		l.begun = nil
	}
	if l.begun != nil && !sameTerm(l.begun, stored) {
		return errDeposed
	}
	l.is(stored, asked)
	return nil
}

// readLedger asks our own server for the ledger; nil when there is none.
func readLedger(ctx context.Context, client typedv1beta1.MaintenanceLedgerInterface) (*v1beta1.MaintenanceLedger, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stored, err := client.Get(ctx, v1beta1.LedgerName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not read the ledger: %w", err)
	}
	return stored, nil
}

// sameTerm says whether the ledger is kept by the term that has begun it so.
func sameTerm(begun, stored *v1beta1.MaintenanceLedger) bool {
	return stored != nil && stored.UID == begun.UID && stored.Spec.Epoch == begun.Spec.Epoch
}

func (l *ledger) is(stored *v1beta1.MaintenanceLedger, asked time.Time) {
	l.known, l.stored, l.ending = true, stored, false
	l.said(stored, asked)
}

// begin has the ledger say, before anything else, that this term keeps it, so that the writes of a former one fail.
func (l *ledger) begin(ctx context.Context) error {
	if l.begun != nil {
		return nil
	}
	spec := v1beta1.MaintenanceLedgerSpec{}
	if l.stored != nil {
		spec = *l.stored.Spec.DeepCopy()
	}
	spec.Epoch++
	if err := l.write(ctx, spec); err != nil {
		return fmt.Errorf("could not begin to keep the ledger: %w", err)
	}
	l.begun = l.stored
	return nil
}

// save has the ledger say what was decided from facts of that time. It does nothing if it says so already.
func (l *ledger) save(ctx context.Context, decided v1beta1.MaintenanceLedgerSpec, at time.Time) error {
	if l.says(decided) {
		return nil
	}
	if age(at, l.clock.Now()) > decisionLasts {
		return errTooOld
	}
	decided.Epoch = l.begun.Spec.Epoch
	if err := l.write(ctx, decided); err != nil {
		return fmt.Errorf("could not write the ledger: %w", err)
	}
	return nil
}

// write replaces the ledger, or creates it. If it fails, the ledger is read again before anything else.
func (l *ledger) write(ctx context.Context, spec v1beta1.MaintenanceLedgerSpec) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	l.known = false
	asked := l.clock.Now()
	next := &v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName}, Spec: spec}
	var written *v1beta1.MaintenanceLedger
	var err error
	if l.stored == nil {
		written, err = l.client.Create(ctx, next, metav1.CreateOptions{})
	} else {
		next.ObjectMeta = *l.stored.ObjectMeta.DeepCopy()
		written, err = l.client.Update(ctx, next, metav1.UpdateOptions{})
	}
	if err == nil {
		ledgerWrites.Inc()
		l.is(written, asked)
	}
	return err
}

// end deletes the ledger, which has nothing left to say.
func (l *ledger) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	l.known, l.ending = false, true
	err := l.client.Delete(ctx, v1beta1.LedgerName, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &l.stored.UID, ResourceVersion: &l.stored.ResourceVersion},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not delete the ledger: %w", err)
	}
	return nil
}

// age is how long ago a moment was, by the clock that says more. The monotonic clock stops while the machine is
// suspended, and the wall clock may be set back.
func age(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// says whether the stored ledger says the same, whoever keeps it.
func (l *ledger) says(decided v1beta1.MaintenanceLedgerSpec) bool {
	decided.Epoch = l.stored.Spec.Epoch
	return apiequality.Semantic.DeepEqual(decided, l.stored.Spec)
}
