// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// nodeNameInQuery stands for the name of the node in a query.
	nodeNameInQuery = "$(nodeName)"
	// maxQuery is the most bytes of a query that a message has.
	maxQuery = 200
)

// state is whether a gate passes.
type state int

const (
	// unknown: it has not been checked lately.
	unknown state = iota
	// passes: it passes.
	passes
	// fails: it does not pass.
	fails
)

// judgement is what is known of a gate, or of several.
type judgement struct {
	state state
	// reason is why it fails.
	reason v1beta1.AdmissionReason
	// about is how message begins: which gate it is.
	about string
	// message says in a sentence what it waits for. It changes only when something else is found, and not with time.
	message string
	// again is after how long the judgement changes by time alone; zero: never.
	again time.Duration
}

func waits(format string, args ...any) judgement {
	return judgement{
		state: fails, reason: v1beta1.AdmissionGateFailed, message: quote.Cut(fmt.Sprintf(format, args...), quote.MaxMessage),
	}
}

// subject is what gates are checked for.
type subject struct {
	policy string
	node   *corev1.Node
	// hold is the NodeMaintenance whose plan a start gate looks at; nil for the release.
	hold *v1beta1.NodeMaintenance
	// lasts is for how long a finding is good that passes. None counts from before after; zero: all do.
	lasts time.Duration
	after time.Time
}

// judgeAll judges gates that must all pass: it says what the first waits for that does not. One that is not known counts
// only if no other fails.
func (g *Gates) judgeAll(gates []v1beta1.PolicyGate, s subject) judgement {
	all := judgement{state: passes}
	for _, gate := range gates {
		judged := g.judge(gate, s)
		again := due.Sooner(all.again, judged.again)
		if all.state != fails && judged.state != passes {
			all = judged
			all.about = cmp.Or(about(gate, s), judged.message)
		}
		all.again = again
	}
	return all
}

// about is how messages about the gate begin; empty: it is of a kind that this server does not know.
func about(gate v1beta1.PolicyGate, s subject) string {
	asked, _ := questionOf(gate, s)
	switch {
	case gate.NodeCondition != nil:
		return waitsForCondition(gate.NodeCondition) + " "
	case asked.query != "":
		return waitsForQuery(asked.query) + " "
	case asked.node != "":
		return waitsForPods
	default:
		return ""
	}
}

func waitsForQuery(query string) string {
	return "waits for a result of the query " + quote.Cut(query, maxQuery)
}

func (g *Gates) judge(gate v1beta1.PolicyGate, s subject) judgement {
	now := g.config.Clock.Now()
	if gate.NodeCondition != nil {
		return judgeCondition(gate.NodeCondition, s.node, now)
	}
	asked, isQuestion := questionOf(gate, s)
	if !isQuestion {
		return waits("waits for a gate of a kind that this server does not know")
	}
	found, known := g.asker.found(asked)
	switch {
	case !known, found.at.Before(s.after), found.passed() && now.Sub(found.at) > s.lasts:
		return judgement{}
	case !found.passed():
		return judgement{state: fails, reason: found.reason, message: quote.Cut(found.message, quote.MaxMessage)}
	case gate.Prometheus != nil:
		lasts := time.Duration(gate.Prometheus.ForSeconds) * time.Second
		return forLong(found.since, lasts, now, "%s for %s (since %s)", waitsForQuery(asked.query), lasts, moment(found.since))
	default:
		return judgement{state: passes}
	}
}

// question is what the asker asks. Exactly one of query, plan and node is set.
type question struct {
	// policy is the name of the policy that wants to know.
	policy string
	// query is a query of Prometheus.
	query string
	// plan is the NodeMaintenance whose plan is looked at.
	plan types.UID
	// node is the node whose DaemonSet pods are looked at.
	node string
}

// questionOf returns what has to be asked to judge the gate. Nothing has for a condition of the node.
func questionOf(gate v1beta1.PolicyGate, s subject) (asked question, isQuestion bool) {
	asked.policy = s.policy
	switch {
	case gate.Prometheus != nil:
		asked.query = strings.ReplaceAll(gate.Prometheus.Query, nodeNameInQuery, s.node.Name)
	case gate.PlanUnblocked && s.hold != nil:
		asked.plan = s.hold.UID
	case gate.DaemonSetPodsReady:
		asked.node = s.node.Name
	default:
		return question{}, false
	}
	return asked, true
}

// questionsOf returns what has to be asked to judge the gates.
func questionsOf(gates []v1beta1.PolicyGate, s subject) []question {
	var questions []question
	for _, gate := range gates {
		if asked, isQuestion := questionOf(gate, s); isQuestion && gate.NodeCondition == nil {
			questions = append(questions, asked)
		}
	}
	return questions
}
