// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// grantLasts is how long a grant may wait to be recorded. After that nobody needs it.
	grantLasts = time.Minute
	// firstPlaces is how many of those that wait say soon, and more often, what they wait for, when that has changed.
	firstPlaces = 10
)

// admitter grants what the ledger limits: which profile is in maintenance on which node, and places of pools. One
// goroutine writes the ledger; workers ask and are asked through what mu guards.
type admitter struct {
	*term
	ledger *ledger.Ledger
	// changed wakes it when something has changed since the last pass.
	changed workloop.Bell
	// knows says that the ledger was read in this term.
	knows bool

	mu sync.Mutex
	// again is the time when time alone may make room for a candidate; zero: never.
	again time.Time
	// spec is what the ledger says of profiles. It is not changed, but replaced.
	spec *v1beta1.MaintenanceLedgerSpec
	// candidates are ready, by the name of the NodeProfile, and places says where those are that wait, from 1.
	candidates map[string]*candidate
	places     map[string]int
	// pending are granted, and not recorded yet.
	pending map[string]pending
	// returned are attempts of which nothing was done: what they have taken of pools is given back.
	returned []places.Grant
	// adopting are NodeProfiles that are about to adopt what the controller before has left, by name.
	adopting map[string]adopting
	// depends are the NodeProfiles that depend on the ledger, with what it has said at their last visit.
	depends map[string]evaluation.Ledger
	// moved says that nodes may count for others no more that are in maintenance, or for more.
	moved bool
}

// candidate is a NodeProfile that waits for a grant. Each visit makes a new one.
type candidate struct {
	places.Candidate
	// refused is what the ledger has said when it was evaluated last, and refused; empty: it was not. Only passes use it.
	refused string
}

// pending is a grant that is not recorded yet.
type pending struct {
	places.Grant
	need places.Need
	at   time.Time
}

func newAdmitter(t *term, stored *ledger.Ledger) *admitter {
	return &admitter{
		term: t, ledger: stored, changed: workloop.NewBell(), spec: &v1beta1.MaintenanceLedgerSpec{},
		candidates: map[string]*candidate{}, places: map[string]int{}, pending: map[string]pending{}, adopting: map[string]adopting{}, depends: map[string]evaluation.Ledger{},
	}
}

// kick has the ledger looked at soon. It never blocks.
func (a *admitter) kick() { a.changed.Ring() }

// nodeMoved has those looked at for which a node counts that is in maintenance, or counts no more: limits go by labels.
func (a *admitter) nodeMoved(node string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if places.Entry(a.spec, node) != nil {
		a.moved = true
		a.kick()
	}
}

// known is what the ledger says. It is not to be changed.
func (a *admitter) known() *v1beta1.MaintenanceLedgerSpec {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spec
}

// offer has a NodeProfile be considered, and says where it is among those that wait; 0: that is not known yet. passes
// says that there is room, as far as is known: the ledger may be as it was, and the node have changed.
func (a *admitter) offer(of places.Candidate, passes bool, said evaluation.Ledger) (place, waiting int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.candidates[of.Key]
	if passes || known == nil || known.Candidate != of || due.Earlier(a.again, said.Again) != a.again {
		a.kick()
	}
	next := &candidate{Candidate: of}
	if !passes {
		next.refused = said.Says
	}
	a.candidates[of.Key] = next
	return a.places[of.Key], len(a.places)
}

// withdraw has a NodeProfile be considered no more. What was granted to it, and not recorded, is nobody's.
func (a *admitter) withdraw(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.candidates, name)
	delete(a.adopting, name)
	_, granted := a.pending[name]
	delete(a.pending, name)
	if granted || a.places[name] > 0 {
		a.kick() // those behind it are to say that they are farther ahead
	}
}

// granted says whether what the next attempt of a NodeProfile needs was granted. It must then be recorded, and decided
// called. If something else was granted to it, that is nobody's.
func (a *admitter) granted(nodeProfile *v1beta1.NodeProfile, need places.Need) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	grant, found := a.pending[nodeProfile.Name]
	if !found || grant.Grant != places.GrantFor(nodeProfile) {
		return false
	}
	if !grant.need.Covers(need) {
		delete(a.pending, nodeProfile.Name)
		a.kick()
		return false
	}
	return true
}

// decided notes that a grant was recorded, or will not be.
func (a *admitter) decided(name string) {
	a.withdraw(name)
}

// giveBack has the places of pools given back that an attempt has taken of which nothing was done.
func (a *admitter) giveBack(grant places.Grant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returned = append(a.returned, grant)
	a.kick()
}

// hasPlace says whether the ledger has what a recorded transition to InMaintenance needs. Others need nothing.
func (a *admitter) hasPlace(nodeProfile *v1beta1.NodeProfile) bool {
	if !needsPlace(nodeProfile) {
		return true
	}
	entry := places.Entry(a.known(), nodeProfile.Spec.NodeName)
	return entry != nil && entry.Profile == nodeProfile.Spec.Profile
}

func needsPlace(nodeProfile *v1beta1.NodeProfile) bool {
	return nodeProfile != nil && places.InMaintenance(nodeProfile)
}

// dependsOn notes what the ledger, as known, has said to a NodeProfile, which is looked at when it says something else. If
// that is not what is known by now, it is at once.
func (a *admitter) dependsOn(name string, said evaluation.Ledger, known *v1beta1.MaintenanceLedgerSpec) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if said.Says == "" {
		delete(a.depends, name)
		return
	}
	a.depends[name] = said
	if known != a.spec {
		a.queue.Add(name)
	}
}

// forget forgets a NodeProfile that is gone.
func (a *admitter) forget(name string) {
	a.withdraw(name)
	a.dependsOn(name, evaluation.Ledger{}, nil)
	a.kick()
}

// inOrder are the candidates in the order in which they are served.
func (a *admitter) inOrder() []*candidate {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(a.candidates), func(x, y *candidate) int { return places.Compare(x.Candidate, y.Candidate) })
}

// isPending says whether something in the ledger was granted, and may be recorded yet.
func (a *admitter) isPending(name string, sequence, attempt int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	grant, found := a.pending[name]
	return found && grant.Sequence == sequence && grant.Attempt == attempt && a.config.Clock.Since(grant.at) < grantLasts
}

// ordinal is a place in words, such as 3rd.
func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
