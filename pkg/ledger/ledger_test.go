// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics/legacyregistry"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// world has a server, and parts of processes that write its ledger.
type world struct {
	*drainertest.Server
	t     *testing.T
	clock *testingclock.FakeClock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{drainertest.NewServer(drainertest.Hooks{}), t, testingclock.NewFakeClock(time.Now())}
}

// part is a part of the process that has the epoch, which takes part in its term.
func (w *world) part(epoch *Epoch) *Ledger {
	w.t.Cleanup(epoch.Join())
	return New(Config{Client: w.Maintenance.MaintenanceV1beta1().MaintenanceLedgers(), Clock: w.clock, Epoch: epoch})
}

// enter has the ledger say that a node is in maintenance.
func (w *world) enter(l *Ledger, node string) error {
	if err := l.Read(w.t.Context()); err != nil {
		return err
	}
	if err := l.Begin(w.t.Context()); err != nil {
		return err
	}
	spec := l.Spec()
	spec.InMaintenance = append(spec.InMaintenance, v1beta1.LedgerProfile{Node: node, Profile: "flatcar"})
	return l.Save(w.t.Context(), spec, w.clock.Now())
}

// want compares the epoch and the nodes that are in maintenance.
func (w *world) want(epoch int64, nodes int) {
	w.t.Helper()
	stored := drainertest.Get[*v1beta1.MaintenanceLedger](w.Server, "", v1beta1.LedgerName)
	if stored == nil || stored.Spec.Epoch != epoch || len(stored.Spec.InMaintenance) != nodes {
		w.t.Errorf("the ledger is %+v, want epoch %d and %d nodes", stored, epoch, nodes)
	}
}

// The parts of a process write in one term. None overwrites what another one has written: it reads that first.
func TestPartsOfAProcess(t *testing.T) {
	w, epoch := newWorld(t), &Epoch{}
	one, other := w.part(epoch), w.part(epoch)
	if err := w.enter(one, "w-1"); err != nil {
		t.Fatal(err)
	}
	if err := w.enter(other, "w-2"); err != nil {
		t.Fatal(err)
	}
	if err := w.enter(one, "w-3"); !apierrors.IsConflict(err) {
		t.Errorf("error %v, want a conflict", err)
	}
	if err := w.enter(one, "w-3"); err != nil {
		t.Fatal(err)
	}
	w.want(1, 3)
}

// A former leader writes no more, and neither does one that had read the ledger before.
func TestFormerLeader(t *testing.T) {
	w := newWorld(t)
	former, next := w.part(&Epoch{}), w.part(&Epoch{})
	if err := w.enter(former, "w-1"); err != nil {
		t.Fatal(err)
	}
	if err := w.enter(next, "w-2"); err != nil {
		t.Fatal(err)
	}
	if err := w.enter(former, "w-3"); !apierrors.IsConflict(err) {
		t.Errorf("error %v, want a conflict", err)
	}
	if err := w.enter(former, "w-3"); !errors.Is(err, ErrDeposed) {
		t.Errorf("error %v, want that another process keeps the ledger", err)
	}
	w.want(2, 2)
	former.Forget() // it leads again
	if err := w.enter(former, "w-3"); err != nil {
		t.Fatal(err)
	}
	w.want(3, 3)
}

// What was decided too long ago is not written, and what the ledger says already neither.
func TestSave(t *testing.T) {
	w := newWorld(t)
	l := w.part(&Epoch{})
	if err := w.enter(l, "w-1"); err != nil {
		t.Fatal(err)
	}
	decided := w.clock.Now()
	w.clock.Step(decisionLasts + time.Second)
	version := l.Stored().ResourceVersion
	if err := l.Save(t.Context(), l.Spec(), decided); err != nil || l.Stored().ResourceVersion != version {
		t.Errorf("error %v, version %s, want nothing written", err, l.Stored().ResourceVersion)
	}
	empty := l.Spec()
	empty.InMaintenance = nil
	if err := l.Save(t.Context(), empty, decided); !errors.Is(err, errTooOld) {
		t.Errorf("error %v, want that it is too old", err)
	}
	w.want(1, 1)
}

// Who has deleted the ledger itself begins anew, and a ledger that others have deleted means that another process keeps it.
func TestEnd(t *testing.T) {
	w, epoch := newWorld(t), &Epoch{}
	l := w.part(epoch)
	if err := w.enter(l, "w-1"); err != nil {
		t.Fatal(err)
	}
	if err := l.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.enter(l, "w-2"); err != nil {
		t.Fatal(err)
	}
	w.want(1, 1)
	w.Remove(drainertest.Get[*v1beta1.MaintenanceLedger](w.Server, "", v1beta1.LedgerName))
	l.Reread()
	if err := w.enter(l, "w-3"); !errors.Is(err, ErrDeposed) {
		t.Errorf("error %v, want that another process keeps the ledger", err)
	}
}

// A ledger that cannot be read is none that does not exist: nothing is written, and a metric says so.
func TestUnreadableLedger(t *testing.T) {
	w := newWorld(t)
	l := w.part(&Epoch{})
	if err := w.enter(l, "w-1"); err != nil {
		t.Fatal(err)
	}
	l.Reread()
	wantUnreadable := func(want float64) {
		t.Helper()
		vectors, err := legacyregistry.DefaultGatherer.Gather()
		got := -1.0
		for _, vector := range vectors {
			if vector.GetName() == "maintenance_store_unreadable_objects" {
				got = vector.GetMetric()[0].GetGauge().GetValue()
			}
		}
		if got != want || err != nil {
			t.Errorf("unreadable are %v, error %v, want %v", got, err, want)
		}
	}
	w.Inject(drainertest.Failing("get", "maintenanceledgers", &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonStoreReadError, Code: 500, Message: "bits flipped"}}))
	if err := w.enter(l, "w-2"); !apierrors.IsStoreReadError(err) {
		t.Errorf("error %v, want that it cannot be read", err)
	}
	wantUnreadable(1)
	w.Heal()
	if err := w.enter(l, "w-2"); err != nil {
		t.Error(err)
	}
	wantUnreadable(0)
	w.want(1, 2)
}
