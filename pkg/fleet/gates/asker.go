// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	// askInterval is how often a question is asked while somebody wants to know.
	askInterval = 15 * time.Second
	// keepsFor is how long a question is still asked after nobody wants to know any more, so that what passed for long
	// is not forgotten between one node and the next.
	keepsFor = 30 * time.Second
	// perPolicy is how many questions of one policy are asked at a time, so that those that hang only delay others of
	// the same policy.
	perPolicy = 2
)

// answer is the answer to a question: nothing if it passes.
type answer struct {
	// reason and message say why it does not pass.
	reason  v1beta1.AdmissionReason
	message string
}

func (a answer) passed() bool { return a.message == "" }

// finding is the last answer to a question.
type finding struct {
	answer
	// at is when it was asked.
	at time.Time
	// since is when it was asked first of all times in a row at which it passed; zero if it does not pass.
	since time.Time
}

// inquiry is what is known of a question that is asked.
type inquiry struct {
	// last is the last finding; its time is zero before the first.
	last finding
	// began is when it was asked last; busy says that it has not been answered yet.
	began time.Time
	busy  bool
	// stale says that it is to be asked anew at once.
	stale bool
	// unwanted is since when nobody wants to know; zero: somebody does.
	unwanted time.Time
}

// asker asks questions in the background. It is to be made with newAsker.
type asker struct {
	clock clock.WithTicker
	ask   func(ctx context.Context, asked question) answer
	// answered is called when a question was answered, without the lock; with those who want to know if the answer is
	// another one than before.
	answered func(changedFor []asking)
	// changed is rung when something has changed.
	changed workloop.Bell

	mu sync.Mutex
	// wanted are the questions that somebody wants answered, by who does.
	wanted    map[asking][]question
	inquiries map[question]*inquiry
	busy      map[string]int
}

// asking is who wants to know: the start gates, or the release gates of a node.
type asking struct{ node string }

func newAsker(clock clock.WithTicker, ask func(context.Context, question) answer, answered func([]asking)) *asker {
	return &asker{
		clock: clock, ask: ask, answered: answered, changed: workloop.NewBell(),
		wanted: map[asking][]question{}, inquiries: map[question]*inquiry{}, busy: map[string]int{},
	}
}

// want has the questions asked, instead of those that the same one wanted before. An answer that is older than lasts is
// asked for anew at once.
func (a *asker) want(by asking, questions []question, lasts time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(questions) == 0 && len(a.wanted[by]) == 0 {
		return
	}
	now := a.clock.Now()
	a.wanted[by] = questions
	if len(questions) == 0 {
		delete(a.wanted, by)
	}
	for _, asked := range questions {
		if a.inquiries[asked] == nil {
			a.inquiries[asked] = &inquiry{}
		}
		known := a.inquiries[asked]
		known.stale = known.stale || now.Sub(known.began) > lasts
	}
	a.noteUnwanted(now)
	a.changed.Ring()
}

func (a *asker) noteUnwanted(now time.Time) {
	wanted := map[question]bool{}
	for _, questions := range a.wanted {
		for _, asked := range questions {
			wanted[asked] = true
		}
	}
	for asked, known := range a.inquiries {
		switch {
		case wanted[asked]:
			known.unwanted = time.Time{}
		case known.unwanted.IsZero():
			known.unwanted = now
		}
	}
}

// found returns the last finding of a question.
func (a *asker) found(asked question) (found finding, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if inquiry := a.inquiries[asked]; inquiry != nil {
		return inquiry.last, !inquiry.last.at.IsZero()
	}
	return finding{}, false
}

// run asks until ctx is done, and then forgets everything. While there is nothing to ask, it only waits.
func (a *asker) run(ctx context.Context) {
	var running sync.WaitGroup
	defer a.forget()
	defer running.Wait()
	for ctx.Err() == nil {
		asked, next := a.next()
		for _, question := range asked {
			running.Go(func() { a.askOne(ctx, question) })
		}
		a.changed.Await(ctx, a.clock, next)
	}
}

// next returns the questions to ask now, and after how long others are to be asked; zero: only when something changes. What
// was asked longest ago comes first.
func (a *asker) next() (asked []question, next time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	again := now.Add(askInterval)
	for _, question := range a.byAge() {
		known := a.inquiries[question]
		switch dueAt := known.dueAt(); {
		case !known.unwanted.IsZero() && now.Sub(known.unwanted) >= keepsFor && !known.busy:
			delete(a.inquiries, question)
		case known.busy:
		case dueAt.After(now):
			again = due.Earlier(again, dueAt)
		case a.busy[question.policy] < perPolicy: // else it is asked when one of them has ended
			known.busy, known.began, known.stale = true, now, false
			a.busy[question.policy]++
			asked = append(asked, question)
		}
	}
	if len(a.inquiries) == 0 {
		return nil, 0
	}
	return asked, again.Sub(now)
}

func (i *inquiry) dueAt() time.Time {
	if i.stale {
		return time.Time{}
	}
	return i.last.at.Add(askInterval)
}

func (a *asker) byAge() []question {
	questions := make([]question, 0, len(a.inquiries))
	for asked := range a.inquiries {
		questions = append(questions, asked)
	}
	slices.SortFunc(questions, func(x, y question) int {
		return cmp.Or(a.inquiries[x].last.at.Compare(a.inquiries[y].last.at),
			cmp.Compare(x.query, y.query), cmp.Compare(x.plan, y.plan), cmp.Compare(x.node, y.node))
	})
	return questions
}

// askOne asks, and keeps the finding.
func (a *asker) askOne(ctx context.Context, asked question) {
	at := a.clock.Now()
	found := finding{answer: a.ask(ctx, asked), at: at}
	changedFor := a.note(asked, found)
	if ctx.Err() == nil {
		a.answered(changedFor)
	}
	a.changed.Ring()
}

// note keeps the finding. It returns those who want to know, if the answer is another one than before.
func (a *asker) note(asked question, found finding) (changedFor []asking) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.inquiries[asked]
	known.busy = false
	if a.busy[asked.policy]--; a.busy[asked.policy] == 0 {
		delete(a.busy, asked.policy)
	}
	if found.passed() {
		if found.since = known.last.since; found.since.IsZero() {
			found.since = found.at
		}
	}
	changed := known.last.at.IsZero() || known.last.answer != found.answer
	known.last = found
	if !changed {
		return nil
	}
	for by, questions := range a.wanted {
		if slices.Contains(questions, asked) {
			changedFor = append(changedFor, by)
		}
	}
	return changedFor
}

func (a *asker) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.wanted)
	clear(a.inquiries)
	clear(a.busy)
}
