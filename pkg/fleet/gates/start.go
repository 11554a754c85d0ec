// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// startLasts is how old an answer may be that lets maintenance start.
const startLasts = 10 * time.Second

// start is which start gates are checked.
type start struct {
	// mu guards what follows. It is held while answers are worked out, so that they are told in order.
	mu sync.Mutex
	// keys are those that are checked.
	keys []decision.GateKey
	// told are the answers that the admitter knows: Answers gave them, or it was woken for them since.
	told map[decision.GateKey]decision.GateAnswer
	// changed is rung when keys has changed.
	changed workloop.Bell
}

func newStart() start {
	return start{told: map[decision.GateKey]decision.GateAnswer{}, changed: workloop.NewBell()}
}

// want replaces the keys.
func (s *start) want(keys []decision.GateKey) {
	wanted := map[decision.GateKey]bool{}
	for _, key := range keys {
		wanted[key] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
	maps.DeleteFunc(s.told, func(key decision.GateKey, _ decision.GateAnswer) bool { return !wanted[key] })
}

func (s *start) wanted() []decision.GateKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys
}

// tell notes the answers, and says whether the admitter does not know one of them. The caller has the lock.
func (s *start) tell(answers map[decision.GateKey]decision.GateAnswer) (isNews bool) {
	for key, now := range answers {
		if told, found := s.told[key]; !found || told != now {
			s.told[key], isNews = now, true
		}
	}
	return isNews
}

// Check says which start gates are to be checked from now on, and that answers for others are needed no more. Passing
// answers that are too old for a start are asked for anew at once.
func (g *Gates) Check(keys []decision.GateKey) {
	if len(keys) == 0 && len(g.start.wanted()) == 0 {
		return
	}
	g.start.want(keys)
	var questions []question
	for _, checked := range g.checked(keys) {
		questions = append(questions, questionsOf(checked.gates, checked.subject)...)
	}
	g.asker.want(asking{}, questions, startLasts)
	g.start.changed.Ring()
}

// Answers returns what is known of the start gates that are checked. A passing answer that is too old for a start is not
// among them. It answers at once, from memory. What changes from then on wakes the admitter, even while it decides.
func (g *Gates) Answers() map[decision.GateKey]decision.GateAnswer {
	g.start.mu.Lock()
	defer g.start.mu.Unlock()
	answers, _ := g.answers()
	g.start.told = maps.Clone(answers)
	return answers
}

// answers also says after how long an answer changes by time alone; zero: never. The caller has the lock of start.
func (g *Gates) answers() (answers map[decision.GateKey]decision.GateAnswer, again time.Duration) {
	answers = map[decision.GateKey]decision.GateAnswer{}
	for _, checked := range g.checked(g.start.keys) {
		judged := g.judgeAll(checked.gates, checked.subject)
		again = due.Sooner(again, judged.again)
		if judged.state != unknown {
			answers[checked.key] = decision.GateAnswer{
				Passed: judged.state == passes, Reason: judged.reason, Message: judged.message,
			}
		}
	}
	return answers, again
}

// check is what is checked for one key.
type check struct {
	key     decision.GateKey
	gates   []v1beta1.PolicyGate
	subject subject
}

// checked returns what is checked for the keys, without those whose policy, hold or node is gone.
func (g *Gates) checked(keys []decision.GateKey) []check {
	if len(keys) == 0 {
		return nil
	}
	holds, policies := g.holdsByUID(), g.policiesByName()
	var checks []check
	for _, key := range keys {
		hold, policy := holds[key.Hold], policies[key.Policy]
		if hold == nil || policy == nil || policy.Spec.Gates == nil {
			continue
		}
		if node, err := g.config.Cluster.Node(hold.Spec.NodeName); node != nil && err == nil {
			checks = append(checks, check{
				key: key, gates: policy.Spec.Gates.Start,
				subject: subject{policy: key.Policy, node: node, hold: hold, lasts: startLasts},
			})
		}
	}
	return checks
}

func (g *Gates) holdsByUID() map[types.UID]*v1beta1.NodeMaintenance {
	holds, err := g.config.Cluster.Holds()
	if err != nil {
		return nil
	}
	byUID := make(map[types.UID]*v1beta1.NodeMaintenance, len(holds))
	for _, hold := range holds {
		byUID[hold.UID] = hold
	}
	return byUID
}

func (g *Gates) policiesByName() map[string]*v1beta1.MaintenancePolicy {
	policies := g.config.Admitter.Policies()
	byName := make(map[string]*v1beta1.MaintenancePolicy, len(policies))
	for _, policy := range policies {
		byName[policy.Name] = policy
	}
	return byName
}

// reconsider wakes the admitter if there is an answer that it does not know. It returns after how long to reconsider by
// time alone; zero: never.
func (g *Gates) reconsider() (again time.Duration) {
	isNews, again := g.news()
	if isNews {
		g.config.Admitter.Wake()
	}
	return again
}

// news says whether there is an answer that the admitter does not know, and notes that it is told now.
func (g *Gates) news() (isNews bool, again time.Duration) {
	g.start.mu.Lock()
	defer g.start.mu.Unlock()
	answers, again := g.answers()
	return g.start.tell(answers), again
}

// lookAgain reconsiders when answers change by time alone, until ctx is done.
func (g *Gates) lookAgain(ctx context.Context) {
	for ctx.Err() == nil {
		g.start.changed.Await(ctx, g.config.Clock, g.reconsider())
	}
}
