// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// Report notes what an evaluation says.
func Report(status *v1beta1.NodeProfileStatus, outcome evaluation.Outcome, now time.Time) {
	status.Checks = Checks(status.Checks, outcome.Checks, now)
	status.Transitions = Transitions(outcome.Transitions)
	status.WaitingFor = outcome.Waiting
	evaluated := metav1.Condition{Type: v1beta1.ConditionEvaluated, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonEvaluated}
	if message := failures(outcome); message != "" {
		evaluated.Status, evaluated.Reason, evaluated.Message = metav1.ConditionFalse, v1beta1.ReasonCheckFailed, message
	}
	SetCondition(status, evaluated, now)
}

// Checks are the results of checks. One that is as before keeps the time since when it is so.
func Checks(before []v1beta1.CheckStatus, results []evaluation.CheckResult, now time.Time) []v1beta1.CheckStatus {
	old := make(map[string]v1beta1.CheckStatus, len(before))
	for _, check := range before {
		old[check.Name] = check
	}
	var checks []v1beta1.CheckStatus
	for _, result := range results {
		check := v1beta1.CheckStatus{Name: result.Name, Result: result.Result, Message: result.Message, Info: result.Info, Since: second(now)}
		if was, found := old[result.Name]; found && was.Result == result.Result {
			check.Since = was.Since
		}
		if !result.Again.IsZero() {
			check.NextTime = second(result.Again)
		}
		checks = append(checks, check)
	}
	return checks
}

// Transitions are the results of transitions.
func Transitions(results []evaluation.TransitionResult) []v1beta1.TransitionStatus {
	var transitions []v1beta1.TransitionStatus
	for _, result := range results {
		transitions = append(transitions, v1beta1.TransitionStatus{
			Name: result.Name, Next: result.Next, Result: result.Result, Decisive: result.Decisive, WaitingFor: result.WaitingFor,
		})
	}
	return transitions
}

// failures says which checks end in an error that matters.
func failures(outcome evaluation.Outcome) string {
	matters := map[string]bool{}
	for _, transition := range outcome.Transitions {
		for _, name := range transition.Decisive {
			matters[name] = matters[name] || transition.Result == evaluation.Error
		}
	}
	var messages []string
	for _, check := range outcome.Checks {
		if matters[check.Name] && check.Result == evaluation.Error {
			messages = append(messages, check.Name+": "+check.Message)
		}
	}
	return strings.Join(messages, "; ")
}

// SetCondition sets a condition. One whose status is as before keeps the time of its last transition.
func SetCondition(status *v1beta1.NodeProfileStatus, condition metav1.Condition, now time.Time) {
	condition.LastTransitionTime = *second(now)
	apimeta.SetStatusCondition(&status.Conditions, condition)
}

// SameResults says whether two statuses differ in words alone: in messages, numbers and times that come with results
// that are the same, while the same is waited for.
func SameResults(a, b *v1beta1.NodeProfileStatus) bool {
	x, y := a.DeepCopy(), b.DeepCopy()
	for _, status := range []*v1beta1.NodeProfileStatus{x, y} {
		status.WaitingFor = waitedFor(status.WaitingFor)
		for i := range status.Checks {
			check := &status.Checks[i]
			check.Message, check.Info, check.NextTime = "", nil, nil
		}
		for i := range status.Transitions {
			status.Transitions[i].WaitingFor = waitedFor(status.Transitions[i].WaitingFor)
		}
		for i := range status.Conditions {
			status.Conditions[i].Message = ""
		}
		if status.Hold != nil {
			status.Hold.Message = ""
		}
	}
	return Same(x, y)
}

// PlaceWords are what follows the place in a queue. After them, and a colon, is for what that place is waited for.
const PlaceWords = "that wait for a place"

// waitedFor is the check or the person that is waited for, of a sentence that says more.
func waitedFor(sentence string) string {
	if _, rest, queued := strings.Cut(sentence, PlaceWords); queued {
		sentence = strings.TrimPrefix(rest, ": ")
	}
	what, _, _ := strings.Cut(sentence, ": ")
	return what
}
