// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// decide decides once: it gathers facts, decides, writes the ledger, and only then lets the drainer know. It says after
// how long to decide again if nothing changes; zero: never.
func (t *term) decide(ctx context.Context) (again time.Duration, err error) {
	policies, live := t.Policies(), false
	if len(policies) == 0 && t.isIdle() {
		return 0, nil
	}
	if err := t.ledger.Read(ctx); err != nil {
		return 0, err
	}
	if len(policies) == 0 && t.nothingRecorded() {
		if policies, err = t.livePolicies(ctx); len(policies) == 0 || err != nil {
			return 0, t.rest(err)
		}
		live = true
	}
	if err := t.ledger.Begin(ctx); err != nil {
		return 0, err
	}
	facts, err := t.gather(ctx, policies)
	if err != nil {
		return 0, err
	}
	outcome, err := t.settleOn(ctx, &facts, live)
	if err != nil {
		return 0, err
	}
	return t.act(ctx, facts, outcome)
}

// settleOn decides from the facts, and confirms what else it depends on: that nodes have left maintenance, and, if
// maintenance starts, which policies our own server has now, past the cache. So nothing starts in spite of a policy that
// was stored before.
func (t *term) settleOn(ctx context.Context, facts *decision.Facts, live bool) (decision.Outcome, error) {
	outcome, err := t.withLeft(ctx, facts)
	if err != nil || live || !t.startsMore(*facts, outcome) {
		return outcome, err
	}
	policies, err := t.livePolicies(ctx)
	if err != nil {
		return decision.Outcome{}, err
	}
	if askTheSame(policies, facts.Policies) {
		return outcome, nil
	}
	facts.Policies = policies
	return t.config.Decide(*facts), nil
}

// withLeft decides from the facts. If nodes are about to leave maintenance, it adds to the facts which ones have.
func (t *term) withLeft(ctx context.Context, facts *decision.Facts) (decision.Outcome, error) {
	outcome := t.config.Decide(*facts)
	t.unsure = false
	t.noneLeaves()
	if len(outcome.Leaving) == 0 {
		return outcome, nil
	}
	var sure bool
	facts.Released, sure = t.confirmLeft(ctx, outcome.Leaving)
	t.unsure = !sure
	facts.Now = t.config.Clock.Now()
	if err := t.observe(facts); err != nil {
		return decision.Outcome{}, err
	}
	return t.config.Decide(*facts), nil
}

// startsMore says whether more may start than before: the ledger changes, or a hold needs no entry in it, perhaps for
// more than it asked for before.
func (t *term) startsMore(facts decision.Facts, outcome decision.Outcome) bool {
	if !t.ledger.Says(outcome.Ledger) {
		return true
	}
	free := freed(facts, outcome)
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(facts.Holds, func(hold *v1beta1.NodeMaintenance) bool {
		before := t.known.answers[hold.UID]
		return hold.DeletionTimestamp.IsZero() && free[hold.UID] && (!before.free || before.generation != hold.Generation)
	})
}

// act carries the outcome out: first the ledger, then everything else.
func (t *term) act(ctx context.Context, facts decision.Facts, outcome decision.Outcome) (again time.Duration, err error) {
	if err := t.record(ctx, facts, outcome); err != nil {
		return 0, err
	}
	t.check(outcome)
	t.statuses.want(facts.Policies, outcome.Policies)
	gauge(facts, outcome)
	before := t.publish(t.answer(facts, outcome))
	t.tell(facts, outcome, before)
	return t.until(facts, outcome), nil
}

// nothingRecorded says whether the ledger says nothing of policies. It may say something of profiles.
func (t *term) nothingRecorded() bool {
	stored := t.ledger.Stored()
	return stored == nil || (ofProfiles(stored.Spec) && len(stored.Spec.Entries) == 0)
}

func ofProfiles(spec v1beta1.MaintenanceLedgerSpec) bool {
	return len(spec.InMaintenance) > 0 || len(spec.Pools) > 0
}

// record has the ledger say what was decided, or ends it if it has nothing left to say.
func (t *term) record(ctx context.Context, facts decision.Facts, outcome decision.Outcome) error {
	nothing := len(facts.Policies) == 0 && len(outcome.Ledger.Entries) == 0
	if nothing {
		t.kick() // then there is nothing to decide
	}
	if nothing && !ofProfiles(outcome.Ledger) {
		return t.ledger.End(ctx)
	}
	return t.ledger.Save(ctx, outcome.Ledger, facts.Now)
}

// until is how long the outcome lasts at most.
func (t *term) until(facts decision.Facts, outcome decision.Outcome) time.Duration {
	if t.unsure {
		return unsureLasts
	}
	next := due.Earlier(nextDeadline(facts, outcome), outcome.Again)
	if next.IsZero() {
		return 0
	}
	return min(max(next.Sub(t.config.Clock.Now()), settles), lookAgain)
}

// nextDeadline is the next spec.startDeadline of a hold that waits; zero: there is none.
func nextDeadline(facts decision.Facts, outcome decision.Outcome) (next time.Time) {
	for _, hold := range facts.Holds {
		deadline := hold.Spec.StartDeadline
		if deadline == nil || !waits(outcome, hold) || !deadline.After(facts.Now) {
			continue
		}
		next = due.Earlier(next, deadline.Time)
	}
	return next
}

// waits says whether the hold waits for its first start.
func waits(outcome decision.Outcome, hold *v1beta1.NodeMaintenance) bool {
	decided, found := outcome.Holds[hold.UID]
	return found && decided.AdmittedTime.IsZero() && len(decided.Waits) > 0
}
