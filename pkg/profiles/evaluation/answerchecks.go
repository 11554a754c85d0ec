// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// approval asks whether enough people have approved the transition.
type approval struct{ *v1beta1.ApprovalCheck }

func (c approval) needs() Needs { return Needs{} }

func (c approval) ask(q question) CheckResult {
	required := int(ptr.Deref(c.Approvers, v1beta1.DefaultApprovers))
	users, end := q.approvals(q.transition)
	answer := is(len(users) >= required, "%d of %s%s", len(users), count(required, "approval"), among(users))
	answer.Again = end // although enough may be left: who they are is said, and recorded
	return answer.with("current", len(users)).with("required", required)
}

// approvals returns the users who approve a transition now, sorted, and when the first of them does no more; zero: not by
// time alone.
func (f *Facts) approvals(transition string) (users []string, end time.Time) {
	last := map[string]time.Time{} // zero: the approval does not expire
	for _, decision := range f.decisions(v1beta1.ProfileApprove, transition) {
		its, before := endOf(decision), last[decision.By]
		if !slices.Contains(users, decision.By) {
			users = append(users, decision.By)
			last[decision.By] = its
		} else if its.IsZero() || !before.IsZero() && before.Before(its) {
			last[decision.By] = its
		}
	}
	for _, its := range last {
		end = due.Earlier(end, its)
	}
	slices.Sort(users)
	return users, end
}

// answered is a check whose answers come from somebody else: prometheus, http and object.
type answered struct{ depends Needs }

func (c answered) needs() Needs { return c.depends }

func (answered) ask(q question) CheckResult {
	answer, known := q.Answers[q.name]
	if !known {
		return unknown("there is no answer yet")
	}
	return CheckResult{Result: answer.Result, Message: sentence("%s", answer.Message), Info: answer.Info}
}
