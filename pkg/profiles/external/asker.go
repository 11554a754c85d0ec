// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// Config is whom an Asker asks, and whom it tells. All fields are required.
type Config struct {
	// Endpoints has the servers that checks of the kinds prometheus and http ask.
	Endpoints endpoint.Endpoints
	// Objects reads what checks of the kind object ask about.
	Objects dynamic.Interface
	// NodeCount returns how many nodes the cluster has, at once.
	NodeCount func() int
	// Wake is called with the name of a NodeProfile when the answer to a check that it wants is another one than it knows.
	// It must not block. Several may call it at the same time.
	Wake func(nodeProfile string)
	// Clock tells the time.
	Clock clock.WithTicker
}

// Asker asks what NodeProfiles want answered, for one term of the leader. Use New. While nobody wants anything, it makes
// no call and no watch.
type Asker struct {
	config  Config
	polls   *polls
	watches *watches

	mu sync.Mutex
	// wanted is what each NodeProfile wants answered, by its name.
	wanted map[string][]*subscription
}

// New returns an Asker that asks nobody before Run.
func New(config Config) *Asker {
	a := &Asker{config: config, wanted: map[string][]*subscription{}}
	a.polls = newPolls(config, a.tell)
	a.watches = newWatches(config, a.tell)
	return a
}

// Run asks until ctx is done. When it returns, no goroutine and no call is left. It is called once.
func (a *Asker) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { a.polls.run(ctx) })
	running.Go(func() { a.watches.run(ctx) })
}

// Answers returns what is known now for Facts.Answers, by the names of the checks of facts.Profile. Of the other facts, it
// needs the NodeProfile and the Node. It asks nobody: what nobody wants, and what was not answered yet, is not among them,
// nor are answers that are too old.
func (a *Asker) Answers(facts evaluation.Facts) map[string]evaluation.Answer {
	answers := map[string]evaluation.Answer{}
	for i := range facts.Profile.Spec.Checks {
		check := &facts.Profile.Spec.Checks[i]
		if !isExternal(check) {
			continue
		}
		if answer, known := a.answer(check, subjectOf(facts)); known {
			answers[check.Name] = answer
		}
	}
	return answers
}

// Want has the checks asked that an outcome wants, instead of those that the same NodeProfile wanted before. facts are
// those of the outcome: if another answer than facts.Answers has is known already, the NodeProfile is woken. If
// facts.Answers is nil, the NodeProfile is taken to know what it was woken for since it wanted the check. Names of checks
// of other kinds mean nothing. It does not block. For one NodeProfile, it is not called twice at the same time.
func (a *Asker) Want(facts evaluation.Facts, wants []string) {
	wanted := subscriptions(facts, wants)
	if facts.Answers == nil {
		a.mu.Lock()
		before := a.wanted[facts.NodeProfile.Name]
		a.mu.Unlock()
		for _, s := range wanted {
			s.resume(before)
		}
	}
	a.replace(facts.NodeProfile.Name, wanted)
}

// Forget says that a NodeProfile wants nothing any more. nodeProfile is its name.
func (a *Asker) Forget(nodeProfile string) { a.replace(nodeProfile, nil) }

// replace follows the new ones first, so that what is wanted before and after goes on.
func (a *Asker) replace(nodeProfile string, wanted []*subscription) {
	a.mu.Lock()
	before := a.wanted[nodeProfile]
	a.wanted[nodeProfile] = wanted
	if len(wanted) == 0 {
		delete(a.wanted, nodeProfile)
	}
	a.mu.Unlock()
	for _, s := range wanted {
		a.source(s.check).follow(s)
	}
	for _, s := range before {
		a.source(s.check).unfollow(s)
	}
	a.tell(wanted)
}

// source answers checks.
type source interface {
	follow(*subscription)
	unfollow(*subscription)
	// answer returns what is known now. It asks nobody.
	answer(*v1beta1.ProfileCheck, subject) (answer evaluation.Answer, known bool)
}

func (a *Asker) source(check *v1beta1.ProfileCheck) source {
	if check.Object != nil {
		return a.watches
	}
	return a.polls
}

func (a *Asker) answer(check *v1beta1.ProfileCheck, of subject) (answer evaluation.Answer, known bool) {
	return a.source(check).answer(check, of)
}

// tell wakes the NodeProfiles to which the answers are news.
func (a *Asker) tell(answered []*subscription) {
	for _, s := range answered {
		if s.learn(a.answer) {
			a.config.Wake(s.nodeProfile)
		}
	}
}

func isExternal(check *v1beta1.ProfileCheck) bool {
	return check.Prometheus != nil || check.HTTP != nil || check.Object != nil
}
