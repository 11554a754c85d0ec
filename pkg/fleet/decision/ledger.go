// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// readLedger takes over the ledger. Times that lie ahead count as now: the clock was set back, or that of another
// replica is ahead.
func (s *state) readLedger() {
	ledger := s.facts.Ledger.DeepCopy()
	for _, stored := range ledger.Entries {
		e := &entry{LedgerEntry: stored}
		if n := s.nodes[e.Node]; n != nil && n.UID == e.NodeUID {
			e.node = n
		}
		s.notAhead(&e.AdmittedTime)
		s.notAhead(e.ReleaseTime)
		s.notAhead(e.GivenBackTime)
		for i := range e.Holds {
			s.notAhead(&e.Holds[i].Time)
		}
		s.entries[e.Node] = e
	}
	s.starts, s.failures, s.stops = ledger.Starts, ledger.Failures, ledger.Stops
	for i := range s.starts {
		s.notAhead(&s.starts[i].Time)
	}
	for i := range s.failures {
		s.failures[i].Time = s.second(s.failures[i].Time.Time)
	}
	for i := range s.stops {
		s.stops[i].Time = s.second(s.stops[i].Time.Time)
	}
	s.readStarts()
}

func (s *state) notAhead(t *metav1.MicroTime) {
	if t != nil && t.After(s.now) {
		*t = s.micro()
	}
}

// micro is now, as precisely as the ledger keeps it.
func (s *state) micro() metav1.MicroTime {
	return metav1.NewMicroTime(s.now.Truncate(time.Microsecond))
}

// second is the time, or now if that is earlier, as precisely as most fields keep it.
func (s *state) second(t time.Time) metav1.Time {
	if t.After(s.now) {
		t = s.now
	}
	return metav1.NewTime(t.Truncate(time.Second))
}

// ledger is what the ledger is to say.
func (s *state) ledger() v1beta1.MaintenanceLedgerSpec {
	ledger := v1beta1.MaintenanceLedgerSpec{
		Epoch: s.facts.Ledger.Epoch, Starts: s.starts, Stops: s.stops,
		InMaintenance: s.facts.Ledger.InMaintenance, Pools: s.facts.Ledger.Pools, // those of profiles
	}
	ledger.Failures = slices.DeleteFunc(slices.Clone(s.failures), func(f v1beta1.LedgerFailure) bool { return !s.remembers(f) })
	for _, e := range s.sortedEntries() {
		ledger.Entries = append(ledger.Entries, e.LedgerEntry)
	}
	return ledger
}

func (s *state) sortedEntries() []*entry {
	entries := make([]*entry, 0, len(s.entries))
	for _, e := range s.entries {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(a.Node, b.Node) })
	return entries
}
