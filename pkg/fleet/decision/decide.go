// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

// Decide says what follows from the facts. Deciding again with the ledger of the outcome changes nothing.
func Decide(f Facts) Outcome { return new(Decider).Decide(f) }

// Decide is the function Decide.
func (d *Decider) Decide(f Facts) Outcome {
	s := d.look(f)
	s.readLedger()
	s.updateEntries()
	s.adopt()
	s.noteFailures()
	s.endSoaks()
	s.stopPolicies()
	s.count()
	s.admit()
	return s.outcome()
}
