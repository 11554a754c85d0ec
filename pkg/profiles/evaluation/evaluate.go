// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// Evaluate says what the checks of a profile on a node say, and which transition follows. Who evaluates a profile more
// than once compiles it only once: see Cache.
func Evaluate(facts Facts) Outcome { return Compile(facts.Profile).Evaluate(facts) }

// Evaluate is Evaluate for the compiled profile, which must be that of the facts.
func (c *Compiled) Evaluate(facts Facts) Outcome {
	e := c.begin(&facts)
	outcome := Outcome{Winner: -1}
	for i := range e.from.transitions {
		outcome.Transitions = append(outcome.Transitions, e.transition(&e.from.transitions[i]))
	}
	e.win(&outcome)
	outcome.Checks = e.shown()
	outcome.Wants = e.wants(&outcome)
	outcome.Waiting = e.waiting(&outcome)
	outcome.Ledger, outcome.OwnAgain = e.ledger(), e.again
	outcome.Again = due.Earlier(e.again, e.ledgerAgain)
	return outcome
}

// Ledger is Outcome.Ledger alone. No other checks are asked.
func (c *Compiled) Ledger(facts Facts) Ledger { return c.begin(&facts).ledger() }

func (c *Compiled) begin(facts *Facts) *evaluation {
	from := c.states[facts.state()]
	if from == nil { // a newer version may know more states
		from = &state{}
	}
	e := &evaluation{Compiled: c, Facts: facts, from: from, results: map[asked]CheckResult{}, budget: expression.NewBudget(longestExpressions)}
	e.nodeValue = sync.OnceValues(func() (map[string]any, error) { return expression.NodeValue(facts.Node) })
	return e
}

// ledger is all that depends on the ledger: the results of the checks that ask for it, and who has the node.
func (e *evaluation) ledger() (ledger Ledger) {
	if slices.ContainsFunc(e.from.transitions, func(t transition) bool { return t.Next == v1beta1.ProfileInMaintenance }) {
		ledger.Says = fmt.Sprintf("%q", e.otherInMaintenance())
	}
	for _, name := range e.from.checks {
		if e.checks[name].needs().Ledger {
			ledger.Says += fmt.Sprintf(" %s %s", name, e.ask(name, "").Result)
			ledger.Asked = true
		}
	}
	ledger.Again = e.ledgerAgain
	return ledger
}

// longestExpressions is how many expressions of one evaluation can take as long as any may, which is about a tenth of a second.
// A profile has up to 64 of them.
const longestExpressions = 4

// evaluation is one evaluation.
type evaluation struct {
	*Compiled
	*Facts
	from *state
	// results are those of the checks that were asked.
	results map[asked]CheckResult
	// nodeValue is the node for expressions.
	nodeValue func() (map[string]any, error)
	// budget is what all its expressions may use together.
	budget *expression.Budget
	// again and ledgerAgain are OwnAgain of the outcome, and Again of what the ledger says.
	again, ledgerAgain time.Time
}

// asked is a check, and the transition that asks it. Only approvals depend on that; for others, it is empty.
type asked struct{ check, transition string }

// ask returns the result of a check for a transition. Each is asked once.
func (e *evaluation) ask(name, transition string) CheckResult {
	key := asked{check: name}
	if e.isApproval(name) {
		key.transition = transition
	}
	result, known := e.results[key]
	if !known {
		result = e.checks[name].ask(question{e.Facts, name, transition, e.nodeValue, e.budget})
		result.Name = name
		e.results[key] = result
		if e.checks[name].needs().Ledger {
			e.ledgerAgain = due.Earlier(e.ledgerAgain, result.Again)
		} else {
			e.again = due.Earlier(e.again, result.Again)
		}
	}
	return result
}

func (e *evaluation) isApproval(name string) bool {
	_, is := e.checks[name].(approval)
	return is
}

// isStagger says whether a check takes a place of a pool if it is decisive.
func (e *evaluation) isStagger(name string) bool {
	_, is := e.checks[name].(stagger)
	return is
}

// shown are the results of all checks that the transitions name.
func (e *evaluation) shown() []CheckResult {
	var results []CheckResult
	for _, name := range e.from.checks {
		results = append(results, e.forAll(name))
	}
	return results
}

// forAll is the result of a check for all transitions that name it. People may have approved one of them alone. The one
// that is not approved is then shown.
func (e *evaluation) forAll(name string) CheckResult {
	var shown CheckResult
	for _, t := range e.from.transitions {
		if t.err != nil || !slices.Contains(t.chain.Names(), name) {
			continue
		}
		if result := e.ask(name, t.Name); shown.Name == "" || shown.Result == True && result.Result != True {
			shown = result
		}
	}
	return shown
}

// win finds the transition that is to be taken: one that was pushed, or else the first that passes.
func (e *evaluation) win(outcome *Outcome) {
	for i, t := range e.from.transitions {
		if push := e.pushed(t.Name); push != nil && e.blockedAlways(t) == "" {
			outcome.Winner, outcome.PushedBy = i, push
			return
		}
	}
	outcome.Winner = slices.IndexFunc(outcome.Transitions, func(t TransitionResult) bool {
		return t.Result == True && t.Blocked == ""
	})
	if outcome.Winner >= 0 {
		outcome.ApprovedBy = e.approvedBy(outcome.Transitions[outcome.Winner])
	}
}

// approvedBy are the users whose approvals a transition needed.
func (e *evaluation) approvedBy(taken TransitionResult) []string {
	for _, name := range taken.Decisive {
		if users, _ := e.approvals(taken.Name); e.isApproval(name) && e.ask(name, taken.Name).Result == True {
			return users
		}
	}
	return nil
}

// wants are the checks that cost something and whose answers matter now. The others keep their last answers, or have
// none. Those of transitions that cannot be taken now, or that come after one that is taken, do not matter.
func (e *evaluation) wants(outcome *Outcome) []string {
	wanted := map[string]bool{}
	for i, t := range e.from.transitions {
		if outcome.PushedBy != nil || outcome.Winner >= 0 && i > outcome.Winner {
			break
		}
		if t.err != nil || e.blocked(t) != "" {
			continue
		}
		for _, name := range t.chain.Wants(func(name string) Result { return e.unanswered(name, t.Name) }) {
			if e.isWanted(name) && e.unanswered(name, t.Name) == Unknown {
				wanted[name] = true
			}
		}
	}
	return sortedKeys(wanted)
}

// isWanted says whether a check costs something as long as its answer is kept up to date.
func (c *Compiled) isWanted(name string) bool {
	needs := c.checks[name].needs()
	return needs.Answer || needs.Pods
}

// unanswered is the result of a check as if nobody had answered yet, and no pods were known.
func (e *evaluation) unanswered(name, transition string) Result {
	if !e.isWanted(name) {
		return e.ask(name, transition).Result
	}
	facts := *e.Facts
	facts.Answers, facts.Pods = nil, nil
	return e.checks[name].ask(question{Facts: &facts, name: name}).Result
}
