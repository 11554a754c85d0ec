// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

// answered is a check whose answers come from somebody else: prometheus, http and object.
type answered struct{}

func (answered) ask(q question) CheckResult {
	answer, known := q.Answers[q.name]
	if !known {
		return unknown("there is no answer yet")
	}
	return CheckResult{Result: answer.Result, Message: sentence("%s", answer.Message), Info: answer.Info}
}
