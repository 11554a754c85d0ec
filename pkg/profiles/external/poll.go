// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

const (
	// firstRetry is after how long a question is asked again that has failed once. It doubles up to lastRetry.
	firstRetry = 5 * time.Second
	lastRetry  = 2 * time.Minute
	// patience is how much older than two intervals an answer may be: a call may take 60 s, and wait before that.
	patience = time.Minute
)

// poll is what is known of a question. Its owner has the lock.
type poll struct {
	question
	followers sets.Set[*subscription]
	// terms are theirs, with how many have the same.
	terms map[terms]int
	// interval is the shortest of theirs; of the last ones, if there are none.
	interval time.Duration
	// spread is what the next pause is multiplied with, so that questions do not all come at once.
	spread float64
	// asked and answered are when the last call began and ended; zero before the first.
	asked, answered time.Time
	last            finding
	// failures is how often it has failed since it succeeded.
	failures int
	// busy says that it is being asked. stale says that it is to be asked anew at once: there is a new expression.
	busy, stale bool
	// overdue says that the followers know that the answer is too old.
	overdue bool
}

// finding is how a call ended.
type finding struct {
	// verdicts are what expressions say of the answer.
	verdicts map[string]evaluation.Answer
	// problem says why there is no answer; empty: there is one.
	problem string
}

func newPoll(asked question) *poll {
	return &poll{question: asked, followers: sets.New[*subscription](), terms: map[terms]int{}}
}

func (p *poll) follow(s *subscription) {
	p.followers.Insert(s)
	p.terms[termsOf(s.check)]++
	p.review()
}

func (p *poll) unfollow(s *subscription) {
	if !p.followers.Has(s) {
		return
	}
	p.followers.Delete(s)
	agreed := termsOf(s.check)
	if p.terms[agreed]--; p.terms[agreed] == 0 {
		delete(p.terms, agreed)
	}
	p.review()
}

// dueAt is when it is to be asked next; zero: now.
func (p *poll) dueAt() time.Time {
	if p.stale || p.answered.IsZero() {
		return time.Time{}
	}
	pause := p.interval
	if p.failures > 0 {
		pause = backoff(p.failures)
	}
	return p.answered.Add(time.Duration(float64(pause) * p.spread))
}

func backoff(failures int) time.Duration {
	pause := firstRetry
	for ; failures > 1 && pause < lastRetry; failures-- {
		pause *= 2
	}
	return min(pause, lastRetry)
}

// expiresAt is when the answer is too old; zero: never. That it has failed counts until it succeeds.
func (p *poll) expiresAt() time.Time {
	if p.asked.IsZero() || p.last.problem != "" {
		return time.Time{}
	}
	return p.asked.Add(2*p.interval + patience)
}

func (p *poll) isExpired(now time.Time) bool {
	at := p.expiresAt()
	return !at.IsZero() && now.After(at)
}

// verdict is what an expression says of the last answer.
func (p *poll) verdict(expression string, now time.Time) (answer evaluation.Answer, known bool) {
	switch {
	case p.asked.IsZero() || p.isExpired(now):
		return evaluation.Answer{}, false
	case p.last.problem != "":
		return evaluation.Answer{Result: evaluation.Error, Message: p.last.problem, Time: p.asked}, true
	default:
		answer, known = p.last.verdicts[expression]
		return answer, known
	}
}

// expressions are those that somebody wants to know the value of.
func (p *poll) expressions() sets.Set[string] {
	wanted := sets.New[string]()
	for agreed := range p.terms {
		wanted.Insert(agreed.expression)
	}
	return wanted
}

// review notes what the followers want now.
func (p *poll) review() {
	if len(p.followers) == 0 {
		return
	}
	p.interval = 0
	for agreed := range p.terms {
		p.interval = due.Sooner(p.interval, agreed.interval)
	}
	p.stale = p.lacksVerdict()
}

// lacksVerdict says whether the last answer was not judged by an expression that is wanted now.
func (p *poll) lacksVerdict() bool {
	if p.asked.IsZero() || p.last.problem != "" {
		return false
	}
	for expression := range p.expressions() {
		if _, judged := p.last.verdicts[expression]; !judged {
			return true
		}
	}
	return false
}

// note keeps a finding.
func (p *poll) note(found finding, began, ended time.Time, spread float64) {
	p.last, p.asked, p.answered, p.spread, p.overdue = found, began, ended, spread, false
	p.failures++
	if found.problem == "" {
		p.failures = 0
	}
	p.review()
}
