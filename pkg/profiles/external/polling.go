// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// perEndpoint is how many calls of one endpoint are under way at a time, so that one that hangs delays no other.
const perEndpoint = 4

// run asks until ctx is done. While there is nothing to ask, it only waits.
func (p *polls) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for ctx.Err() == nil {
		ready, expired, again := p.next()
		for _, asked := range ready {
			running.Go(func() { p.ask(ctx, asked) })
		}
		p.changed(expired)
		p.bell.AwaitUntil(ctx, p.config.Clock, again)
	}
}

// next returns what to ask now, whose answers have become too old, and when to look again; zero: only when something
// changes.
func (p *polls) next() (ready []*poll, expired []*subscription, again time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Clock.Now()
	for _, known := range p.known {
		at := known.dueAt()
		switch {
		case known.busy:
		case at.After(now):
			again = due.Earlier(again, at)
		case len(known.followers) == 0:
			delete(p.known, known.question)
		default:
			ready = append(ready, known)
		}
		if !known.overdue && known.isExpired(now) {
			known.overdue, expired = true, append(expired, known.followers.UnsortedList()...)
		} else if !known.overdue {
			again = due.Earlier(again, known.expiresAt())
		}
	}
	return p.begin(ready), expired, again
}

// begin returns those that may be asked now. What was answered longest ago comes first. The others are asked when a call
// has ended.
func (p *polls) begin(ready []*poll) (asked []*poll) {
	slices.SortFunc(ready, func(a, b *poll) int {
		if first := a.answered.Compare(b.answered); first != 0 {
			return first
		}
		return a.compare(b.question)
	})
	for _, known := range ready {
		if p.busy[known.endpoint] < perEndpoint {
			p.busy[known.endpoint]++
			known.busy = true
			asked = append(asked, known)
		}
	}
	return asked
}

// ask asks one question, when the endpoint may be called once more, and if somebody wants to know then.
func (p *polls) ask(ctx context.Context, asked *poll) {
	defer p.end(asked)
	err := p.config.Endpoints.Wait(ctx, asked.endpoint)
	began := p.config.Clock.Now()
	expressions := p.expressions(asked)
	if ctx.Err() != nil || len(expressions) == 0 {
		return
	}
	found := finding{}
	if err != nil {
		found.problem = p.problem(asked.endpoint, err)
	} else {
		found = p.call(ctx, asked.question, expressions)
	}
	if ctx.Err() == nil {
		p.changed(p.note(asked, found, began))
	}
}

// note keeps a finding, and returns whom it concerns.
func (p *polls) note(asked *poll, found finding, began time.Time) []*subscription {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked.note(found, began, p.config.Clock.Now(), spread())
	return asked.followers.UnsortedList()
}

func (p *polls) expressions(asked *poll) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return asked.expressions().UnsortedList()
}

func (p *polls) end(asked *poll) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked.busy = false
	if p.busy[asked.endpoint]--; p.busy[asked.endpoint] == 0 {
		delete(p.busy, asked.endpoint)
	}
	p.bell.Ring()
}
