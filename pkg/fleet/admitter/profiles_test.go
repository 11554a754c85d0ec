// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
)

// What profiles have in the ledger stays as it is, while policies write it, and when the last policy goes. Then the
// admitter rests.
func TestWhatProfilesRecordStays(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		at := metav1.NewMicroTime(time.Now().Truncate(time.Microsecond))
		want := v1beta1.MaintenanceLedgerSpec{
			InMaintenance: []v1beta1.LedgerProfile{{Node: "w-9", NodeUID: "9", Profile: "flatcar", Sequence: 2, Attempt: 1, Since: at}},
			Pools: []v1beta1.LedgerPool{{Name: "p", Grants: []v1beta1.LedgerGrant{
				{Node: "w-9", Profile: "flatcar", Sequence: 2, Attempt: 1, Time: at, Seconds: 60},
			}}},
		}
		w.nodes(3)
		w.Add(&v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: v1beta1.LedgerName, UID: "ledger"}, Spec: want})
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.holds(2)
		w.finish(2)
		w.deletePolicy("workers")
		w.settle()
		got := w.ledger()
		if !reflect.DeepEqual(got.InMaintenance, want.InMaintenance) || !reflect.DeepEqual(got.Pools, want.Pools) || len(got.Entries) > 0 {
			t.Errorf("got %+v, want %+v", got, want)
		}
		before := r.actions()
		w.hold("w-3")
		w.settle()
		w.wantCordoned("w-3")
		if more := r.actions() - before; more > 0 {
			t.Errorf("%d requests since, want none", more)
		}
	})
}

// Another part of this process writes the ledger, and may have begun the term. Nobody is deposed by that.
func TestPartsOfAProcessShareTheTerm(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(2))
		r := w.start()
		w.hold("w-1")
		w.settle()
		other := r.otherPart()
		if err := other.Read(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := other.Begin(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		spec := other.Spec()
		spec.Pools = []v1beta1.LedgerPool{{Name: "p"}}
		if err := other.Save(w.t.Context(), spec, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.hold("w-2")
		w.settle()
		w.wantCordoned("w-1", "w-2")
		got := w.ledger()
		if len(got.Pools) != 1 || got.Epoch != 1 {
			t.Errorf("got %+v, want the pool, and epoch 1", got)
		}
		spec.Pools = nil
		if err := other.Save(w.t.Context(), spec, time.Now()); err == nil {
			t.Error("a write from an older version of the ledger was accepted")
		}
		if drainertest.Get[*v1beta1.MaintenanceLedger](w.Server, "", v1beta1.LedgerName) == nil {
			t.Error("there is no ledger")
		}
	})
}

// otherPart is the ledger as another part of the replica's process knows it.
func (r *replica) otherPart() *ledger.Ledger {
	return ledger.New(ledger.Config{
		Client: r.client.MaintenanceV1beta1().MaintenanceLedgers(), Clock: r.clock, Epoch: r.admitter.config.Epoch,
	})
}
