// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// approval asks whether enough people have approved the transition.
type approval struct{ *v1beta1.ApprovalCheck }

func (c approval) ask(q question) CheckResult {
	required := int(ptr.Deref(c.Approvers, v1beta1.DefaultApprovers))
	users, ends := q.approvals(q.transition)
	answer := is(len(users) >= required, "%d of %s%s", len(users), count(required, "approval"), among(users))
	if expired := len(users) - required; expired >= 0 && expired < len(ends) {
		slices.SortFunc(ends, time.Time.Compare)
		answer.Again = ends[expired]
	}
	return answer.with("current", len(users)).with("required", required)
}

// approvals returns the users who approve a transition now, sorted, and when those of them whose approvals expire do no
// more.
func (f *Facts) approvals(transition string) (users []string, ends []time.Time) {
	last := map[string]time.Time{} // zero: the approval does not expire
	for _, decision := range f.decisions(v1beta1.ProfileApprove, transition) {
		end, before := endOf(decision), last[decision.By]
		if !slices.Contains(users, decision.By) {
			users = append(users, decision.By)
			last[decision.By] = end
		} else if end.IsZero() || !before.IsZero() && before.Before(end) {
			last[decision.By] = end
		}
	}
	for _, end := range last {
		if !end.IsZero() {
			ends = append(ends, end)
		}
	}
	slices.Sort(users)
	return users, ends
}
