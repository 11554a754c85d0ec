// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"math/rand/v2"
	"sync"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// polls are the questions that are asked of endpoints.
type polls struct {
	config Config
	// changed is called with those that an answer concerns, without the lock.
	changed func([]*subscription)
	bell    workloop.Bell
	// room is for the answers that are read and judged.
	room room

	mu    sync.Mutex
	known map[question]*poll
	// busy is how many calls of each endpoint are under way.
	busy map[string]int
}

func newPolls(config Config, changed func([]*subscription)) *polls {
	return &polls{
		config: config, changed: changed, bell: workloop.NewBell(), known: map[question]*poll{}, busy: map[string]int{},
	}
}

func (p *polls) follow(s *subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := questionOf(s.check, s.name)
	known := p.known[asked]
	if known == nil {
		known = newPoll(asked)
		p.known[asked] = known
	}
	known.follow(s)
	p.bell.Ring()
}

func (p *polls) unfollow(s *subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[questionOf(s.check, s.name)]; known != nil {
		known.unfollow(s)
	}
}

func (p *polls) answer(check *v1beta1.ProfileCheck, of subject) (answer evaluation.Answer, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.known[questionOf(check, of.name)]
	if asked == nil {
		return evaluation.Answer{}, false
	}
	return asked.verdict(termsOf(check).expression, p.config.Clock.Now())
}

// spread returns a number from 0.9 to 1.1.
func spread() float64 { return 0.9 + rand.Float64()/5 }
