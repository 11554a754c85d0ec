// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// decisions returns what people have decided of a transition in this state, as far as it counts now, oldest first. What
// was decided in an earlier state never counts.
func (f *Facts) decisions(kind v1beta1.ProfileDecision, transition string) []*v1beta1.RecordedDecision {
	var counting []*v1beta1.RecordedDecision
	status := &f.NodeProfile.Status
	for i := range status.Decisions {
		decision := &status.Decisions[i]
		about := decision.Transition == transition || decision.Transition == "" && kind != v1beta1.ProfilePush
		end := endOf(decision)
		if decision.Decision == kind && about && decision.Sequence == status.Sequence && (end.IsZero() || f.Now.Before(end)) {
			counting = append(counting, decision)
		}
	}
	return counting
}

// endOf is the time when a decision counts no more; zero: not before the state is left.
func endOf(decision *v1beta1.RecordedDecision) time.Time {
	if decision.ExpirationTime == nil {
		return time.Time{}
	}
	return decision.ExpirationTime.Time
}

// pushed returns the first decision that pushes a transition and was not used yet; nil if there is none.
func (f *Facts) pushed(transition string) *v1beta1.RecordedDecision {
	for _, push := range f.decisions(v1beta1.ProfilePush, transition) {
		if push.UsedBy == "" {
			return push
		}
	}
	return nil
}

// veto returns the veto of a transition that counts longest; nil if there is none.
func (f *Facts) veto(transition string) *v1beta1.RecordedDecision {
	var longest *v1beta1.RecordedDecision
	for _, veto := range f.decisions(v1beta1.ProfileVeto, transition) {
		if longest == nil || endOf(veto).IsZero() || !endOf(longest).IsZero() && endOf(longest).Before(endOf(veto)) {
			longest = veto
		}
	}
	return longest
}
