// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ledger reads and writes the MaintenanceLedger by compare-and-swap. Policies and profiles keep their records in
// it, each in fields of its own: each writes the others' fields as it has read them, and reads again after a conflict.
// The epoch of the ledger, which each leader raises once, has the writes of a former leader fail.
package ledger

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
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

const (
	// requestTimeout bounds one request.
	requestTimeout = 5 * time.Second
	// decisionLasts is how old a decision may be when it is written.
	decisionLasts = 5 * time.Second
)

var (
	// ErrDeposed means that another process has begun a term.
	ErrDeposed = errors.New("another process keeps the ledger")
	// errTooOld means that a decision took so long that its facts may be wrong by now.
	errTooOld = errors.New("the decision is too old")
)

// Config is what a Ledger is made from.
type Config struct {
	// Client reads and writes the ledger at our own server. Required.
	Client typedv1beta1.MaintenanceLedgerInterface
	// Clock tells the time. Required.
	Clock clock.PassiveClock
	// Epoch is shared by all parts of the process that write the ledger. Required.
	Epoch *Epoch
	// Said is told of each answer that shows the ledger as it was after asked. Optional.
	Said func(stored *v1beta1.MaintenanceLedger, asked time.Time)
}

// Ledger is the one MaintenanceLedger as a part of a process knows it, in one term. Only one goroutine uses it. Use New.
type Ledger struct {
	config Config
	// known says whether stored is what our own server has said last, and this part was not to change it since.
	known  bool
	stored *v1beta1.MaintenanceLedger // nil: there is none
}

// New returns a Ledger of which nothing is known yet.
func New(config Config) *Ledger {
	registerMetrics()
	if config.Said == nil {
		config.Said = func(*v1beta1.MaintenanceLedger, time.Time) {}
	}
	return &Ledger{config: config}
}

// Stored is the ledger as it was read or written last; nil if there is none. It is not to be changed.
func (l *Ledger) Stored() *v1beta1.MaintenanceLedger { return l.stored }

// Spec is a copy of what the ledger says; empty if there is none.
func (l *Ledger) Spec() v1beta1.MaintenanceLedgerSpec {
	if l.stored == nil {
		return v1beta1.MaintenanceLedgerSpec{}
	}
	return *l.stored.Spec.DeepCopy()
}

// Read reads the ledger unless it is known. It fails with ErrDeposed if another term has begun since this one.
func (l *Ledger) Read(ctx context.Context) error {
	if l.known {
		return nil
	}
	asked := l.config.Clock.Now()
	stored, err := Get(ctx, l.config.Client)
	if err != nil {
		return err
	}
	if !l.config.Epoch.accepts(stored) {
		return ErrDeposed
	}
	l.is(stored, asked)
	return nil
}

// Get asks our own server for the ledger; nil when there is none.
func Get(ctx context.Context, client typedv1beta1.MaintenanceLedgerInterface) (*v1beta1.MaintenanceLedger, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stored, err := client.Get(ctx, v1beta1.LedgerName, metav1.GetOptions{})
	switch {
	case apierrors.IsStoreReadError(err):
		watched.NoteUnreadable("maintenanceledgers", "MaintenanceLedger", v1beta1.LedgerName, err.Error())
	case err == nil, apierrors.IsNotFound(err):
		watched.NoteUnreadable("maintenanceledgers", "MaintenanceLedger", v1beta1.LedgerName, "")
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not read the ledger: %w", err)
	}
	return stored, nil
}

func (l *Ledger) is(stored *v1beta1.MaintenanceLedger, asked time.Time) {
	l.known, l.stored = true, stored
	l.config.Said(stored, asked)
}

// Reread has the next Read ask the server.
func (l *Ledger) Reread() { l.known = false }

// Forget has the term begin anew, after another process has kept the ledger.
func (l *Ledger) Forget() {
	e := l.config.Epoch
	e.mu.Lock()
	begun := e.begun
	e.mu.Unlock()
	l.known = false
	e.forget(begun)
}

// Begin has the ledger say, before anything else, that this term keeps it, so that the writes of a former one fail. It
// is to be called after Read. If another part of the process has begun the term meanwhile, the ledger is read again.
func (l *Ledger) Begin(ctx context.Context) error {
	begun, err := l.begin(ctx)
	if err != nil {
		return fmt.Errorf("could not begin to keep the ledger: %w", err)
	}
	if l.stored != nil && SameTerm(begun, l.stored) {
		return nil
	}
	l.known = false
	return l.Read(ctx)
}

// begin returns the ledger as the term has begun it.
func (l *Ledger) begin(ctx context.Context) (*v1beta1.MaintenanceLedger, error) {
	e := l.config.Epoch
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun == nil {
		spec := l.Spec()
		spec.Epoch++
		if err := l.write(ctx, spec); err != nil {
			return nil, err
		}
		e.begun, e.ending = l.stored, false
	}
	return e.begun, nil
}

// Save has the ledger say what was decided from facts of that time. It does nothing if it says so already. If it fails,
// the ledger is read again before anything else.
func (l *Ledger) Save(ctx context.Context, decided v1beta1.MaintenanceLedgerSpec, at time.Time) error {
	if l.Says(decided) {
		return nil
	}
	if Age(at, l.config.Clock.Now()) > decisionLasts {
		return errTooOld
	}
	decided.Epoch = l.stored.Spec.Epoch
	if err := l.write(ctx, decided); err != nil {
		return fmt.Errorf("could not write the ledger: %w", err)
	}
	return nil
}

// write replaces the ledger, or creates it.
func (l *Ledger) write(ctx context.Context, spec v1beta1.MaintenanceLedgerSpec) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	l.known = false
	asked := l.config.Clock.Now()
	next := &v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName}, Spec: spec}
	var written *v1beta1.MaintenanceLedger
	var err error
	if l.stored == nil {
		written, err = l.config.Client.Create(ctx, next, metav1.CreateOptions{})
	} else {
		next.ObjectMeta = *l.stored.ObjectMeta.DeepCopy()
		written, err = l.config.Client.Update(ctx, next, metav1.UpdateOptions{})
	}
	if err == nil {
		writes.Inc()
		l.is(written, asked)
	}
	return err
}

// End deletes the ledger, which has nothing left to say.
func (l *Ledger) End(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	l.known = false
	e := l.config.Epoch
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ending = true
	err := l.config.Client.Delete(ctx, v1beta1.LedgerName, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &l.stored.UID, ResourceVersion: &l.stored.ResourceVersion},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not delete the ledger: %w", err)
	}
	return nil
}

// Age is how long ago a moment was, by the clock that says more. The monotonic clock stops while the machine is
// suspended, and the wall clock may be set back.
func Age(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// Says says whether the stored ledger says the same, whoever keeps it.
func (l *Ledger) Says(decided v1beta1.MaintenanceLedgerSpec) bool {
	decided.Epoch = l.stored.Spec.Epoch
	return apiequality.Semantic.DeepEqual(decided, l.stored.Spec)
}
