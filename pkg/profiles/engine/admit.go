// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// settles is how long more changes are waited for, so that many are served together.
	settles = 20 * time.Millisecond
	// beginAgain is the time after which a term begins anew, if another process keeps the ledger, and this one leads still.
	beginAgain = time.Minute
	// passTimeout bounds a pass.
	passTimeout = 30 * time.Second
)

// errChanged means that the ledger has changed while it was begun.
var errChanged = errors.New("the ledger has changed")

// learn reads the ledger for the first time in the term. It says no when ctx is done.
func (a *admitter) learn(ctx context.Context) bool {
	backoff := newBackoff()
	for ctx.Err() == nil {
		err := a.guardedPass(ctx)
		if err == nil {
			return true
		}
		again := a.failed(ctx, err, &backoff)
		if a.knows {
			a.kick()
			return true
		}
		a.pause(ctx, again)
	}
	return false
}

// run serves candidates whenever something has changed, or time alone may make room for one, until ctx is done.
func (a *admitter) run(ctx context.Context) {
	backoff := newBackoff()
	for a.await(ctx) {
		began := a.config.Clock.Now()
		if err := a.guardedPass(ctx); err != nil {
			a.kick()
			a.pause(ctx, a.failed(ctx, err, &backoff))
			continue
		}
		backoff = newBackoff()
		a.pause(ctx, max(settles, a.config.Clock.Since(began))) // a pass takes half of the time at most
	}
}

func newBackoff() wait.Backoff {
	return wait.Backoff{Duration: settles, Factor: 2, Jitter: 0.1, Steps: 10, Cap: 10 * time.Second}
}

// guardedPass makes a pass. A panic ends it with an error.
func (a *admitter) guardedPass(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	defer workloop.Recovered(&err, panics)
	return a.pass(ctx)
}

// failed says after how long to try again.
func (a *admitter) failed(ctx context.Context, err error, backoff *wait.Backoff) time.Duration {
	switch {
	case ctx.Err() != nil:
		return 0
	case errors.Is(err, ledger.ErrDeposed):
		klog.FromContext(ctx).Error(err, "Nothing is granted until this process leads anew", "beginsAgainAfter", beginAgain)
		a.ledger.Forget()
		return beginAgain
	case errors.Is(err, errChanged), apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		klog.FromContext(ctx).V(4).Info("Granting again", "reason", err.Error())
		a.ledger.Reread()
	default:
		klog.FromContext(ctx).Error(err, "Could not grant what profiles wait for")
		a.ledger.Reread()
	}
	return backoff.Step()
}

func (a *admitter) pause(ctx context.Context, d time.Duration) {
	timer := a.config.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-ctx.Done():
	}
}

// pass brings the ledger up to date, and grants what there is room for, in one write.
func (a *admitter) pass(ctx context.Context) error {
	if err := a.ledger.Read(ctx); err != nil {
		return err
	}
	began := a.config.Clock.Now()
	spec := a.ledger.Spec()
	returned, trouble, err := a.tidy(ctx, &spec)
	if err != nil {
		return err
	}
	granted, waiting := a.serve(ctx, &spec)
	if before := a.ledger.Spec(); !apiequality.Semantic.DeepEqual(before, spec) {
		places.Tidy(&spec, began)
		if err := a.store(ctx, spec, began); err != nil {
			return err
		}
	}
	a.publish(granted, waiting, returned)
	return trouble
}

// store writes the ledger. If it has changed since it was read, everything begins anew.
func (a *admitter) store(ctx context.Context, spec v1beta1.MaintenanceLedgerSpec, decided time.Time) error {
	before := a.ledger.Stored()
	if err := a.ledger.Begin(ctx); err != nil {
		return err
	}
	if after := a.ledger.Stored(); before == nil || after.ResourceVersion != before.ResourceVersion {
		return errChanged
	}
	return a.ledger.Save(ctx, spec, decided)
}

// serve grants what candidates need, in their order, as long as their checks pass with the ledger as it will be. The
// others wait: it says where they are in the queue. There may be thousands, of which a place lets few go, so one that was
// refused is not evaluated anew while the ledger says the same to it. Whatever else changes has it visited.
func (a *admitter) serve(ctx context.Context, spec *v1beta1.MaintenanceLedgerSpec) (granted map[string]pending, waiting map[string]int) {
	granted, waiting = map[string]pending{}, map[string]int{}
	a.mu.Lock()
	a.again = time.Time{}
	a.mu.Unlock()
	for _, candidate := range a.inOrder() {
		grant, asks := a.tryGuarded(ctx, candidate, spec)
		if asks && grant != nil {
			granted[candidate.Key] = *grant
		} else if asks {
			waiting[candidate.Key] = len(waiting) + 1
		}
	}
	return granted, waiting
}

// tryGuarded is try, in which a panic holds up no other candidate: the one that makes it is granted nothing.
func (a *admitter) tryGuarded(ctx context.Context, c *candidate, spec *v1beta1.MaintenanceLedgerSpec) (grant *pending, asks bool) {
	var err error
	func() {
		defer workloop.Recovered(&err, panics)
		grant, asks = a.try(c, spec)
	}()
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not grant what a NodeProfile waits for", "nodeProfile", c.Key)
		a.withdraw(c.Key)
	}
	return grant, asks
}

// tell has those visited that wait, where what they say may not be so any more: they have another place, more or fewer
// wait, or others have what they wait for. The first ones, those that say nothing yet, and those to which the ledger says
// something else are visited soon, and the others later: one after the other, since there may be thousands. The caller holds
// the lock.
func (a *admitter) tell(waiting map[string]int, changed bool) {
	changed = changed || len(waiting) != len(a.places)
	for name, place := range waiting {
		after := time.Duration(place) * settles
		of := a.candidates[name]
		moved := of != nil && of.refused != "" && of.refused != a.depends[name].Says
		switch before := a.places[name]; {
		case before == place && !changed && !moved:
			continue
		case before > 0 && !moved && place > firstPlaces:
			after += wordsInterval
		}
		a.queue.AddAfter(name, after)
	}
}

// lookAt has a pass made at a moment, at the latest.
func (a *admitter) lookAt(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.again = due.Earlier(a.again, at)
}

// about is what is known of a NodeProfile. It says no if nothing can be decided about it now.
func (a *admitter) about(name string) (about subject, ok bool) {
	about.nodeProfile = a.nodeProfile(name)
	if about.nodeProfile == nil || about.nodeProfile.DeletionTimestamp != nil || about.nodeProfile.Status.Transition != nil {
		return about, false
	}
	about.profile, about.node = a.profile(about.nodeProfile.Spec.Profile), a.node(about.nodeProfile.Spec.NodeName)
	return about, about.profile != nil && about.node != nil && about.node.UID == about.nodeProfile.Status.NodeUID &&
		v1beta1.WhyUnreadable(about.nodeProfile) == "" && v1beta1.WhyUnreadable(about.profile) == ""
}

// try grants what a candidate needs, if its checks pass. Asks says whether it waits for a grant at all.
func (a *admitter) try(c *candidate, spec *v1beta1.MaintenanceLedgerSpec) (grant *pending, asks bool) {
	about, ok := a.about(c.Key)
	if !ok {
		return nil, false
	}
	next := places.GrantFor(about.nodeProfile)
	if a.isPending(c.Key, next.Sequence, next.Attempt) {
		return nil, false
	}
	if reason, _ := a.idle(about.profile, about.node.Name); reason != "" {
		return nil, false
	}
	if ledger := a.ledgerSays(spec, about); ledger.Says == c.refused {
		a.lookAt(ledger.Again)
		return nil, true
	}
	about.hold = a.holdOf(about.nodeProfile)
	outcome := a.evaluate(about, spec)
	c.refused = ""
	if outcome.Winner < 0 {
		c.refused = outcome.Ledger.Says
		a.lookAt(outcome.Ledger.Again)
		return nil, true
	}
	need := needOf(about.profile, outcome)
	if !need.Any() || !places.Take(spec, next, need, a.config.Clock.Now()) {
		return nil, need.Any()
	}
	return &pending{Grant: next, need: need, at: a.config.Clock.Now()}, true
}

// tellOthers has those visited that depend on the ledger and are not in the queue: at once if it says something else to
// them than at their last visit, and else later, if words may have changed.
func (a *admitter) tellOthers(said map[string]evaluation.Ledger, spec *v1beta1.MaintenanceLedgerSpec) {
	later := wordsInterval
	for name, before := range said {
		switch {
		case !a.saysStill(name, before.Says, spec):
			a.queue.Add(name)
		case before.Asked:
			later += settles
			a.queue.AddAfter(name, later)
		}
	}
}

// saysStill says whether the ledger says the same to a NodeProfile as before. If that panics, it is no.
func (a *admitter) saysStill(name, before string, spec *v1beta1.MaintenanceLedgerSpec) (still bool) {
	var err error
	defer workloop.Recovered(&err, panics)
	about, ok := a.about(name)
	return ok && a.ledgerSays(spec, about).Says == before
}

// publish lets workers know what the ledger says now, and what was granted.
func (a *admitter) publish(granted map[string]pending, waiting map[string]int, returned int) {
	stored := a.ledger.Spec()
	a.mu.Lock()
	a.knows = true
	changed := a.moved ||
		!apiequality.Semantic.DeepEqual(a.spec.InMaintenance, stored.InMaintenance) || !apiequality.Semantic.DeepEqual(a.spec.Pools, stored.Pools)
	a.spec, a.moved = &stored, false
	others := map[string]evaluation.Ledger{}
	for name, said := range a.depends {
		_, isGranted := granted[name]
		if (changed || a.candidates[name] != nil) && !isGranted && waiting[name] == 0 {
			others[name] = said
		}
	}
	a.tell(waiting, changed)
	a.places = waiting
	a.returned = a.returned[returned:]
	for name, grant := range granted {
		a.pending[name] = grant
	}
	a.mu.Unlock()
	if changed {
		a.statuses.kick() // it may have been the last thing to be done
	}
	for name := range granted {
		a.queue.Add(name)
		a.queue.AddAfter(name, grantLasts)
	}
	grants.Add(float64(len(granted)))
	a.tellOthers(others, &stored)
}
