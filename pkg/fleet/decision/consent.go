// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const defaultApprovalSeconds = 86400

// consent says what was missing at that time for people to agree; an empty reason: nothing.
func (s *state) consent(p *policy, h *hold, at time.Time) (v1beta1.AdmissionReason, string) {
	approvals := p.spec.Approvals
	if approvals == nil {
		return "", ""
	}
	var by []string
	for _, decision := range h.decisions(p.name) {
		switch self := decision.By == h.Spec.Requestor; {
		case decision.Decision == v1beta1.DecisionDenied:
			return v1beta1.AdmissionDenied, deniedText(decision)
		case decision.Decision != v1beta1.DecisionApproved || (self && !approvals.AllowSelf):
		case s.valid(approvals, decision, at):
			by = append(by, decision.By)
		}
	}
	if len(by) >= int(approvals.Count) {
		return "", ""
	}
	return v1beta1.AdmissionApprovalNeeded, approvalText(by, approvals.Count, h.void(p.name))
}

// valid says whether an approval still counted at that time. The clock may have been set back since.
func (s *state) valid(approvals *v1beta1.PolicyApprovals, decision v1beta1.MaintenanceDecision, at time.Time) bool {
	given := s.second(decision.Time.Time)
	ends := given.Add(time.Duration(ptr.Deref(approvals.ValidSeconds, defaultApprovalSeconds)) * time.Second)
	s.wake(ends)
	return at.Before(ends)
}

// decisions are what each user has decided last about this hold as it is now, and this node, sorted by user. A change of
// the spec makes an approval void, but not a denial: otherwise whoever was denied would only have to change something.
func (h *hold) decisions(policy string) []v1beta1.MaintenanceDecision {
	if h.Status.Admission == nil {
		return nil
	}
	last := map[string]v1beta1.MaintenanceDecision{}
	for _, decision := range h.Status.Admission.Approvals {
		if decision.Policy == policy && decision.NodeUID == h.node.UID {
			last[decision.By] = decision
		}
	}
	maps.DeleteFunc(last, func(_ string, decision v1beta1.MaintenanceDecision) bool {
		return decision.Decision != v1beta1.DecisionDenied && decision.Generation != h.Generation
	})
	decisions := make([]v1beta1.MaintenanceDecision, 0, len(last))
	for _, user := range slices.Sorted(maps.Keys(last)) {
		decisions = append(decisions, last[user])
	}
	return decisions
}

// void is how many users have approved the hold as it was, or a former node of its name, and have not decided again.
func (h *hold) void(policy string) int {
	if h.Status.Admission == nil {
		return 0
	}
	approved := names{}
	for _, decision := range h.Status.Admission.Approvals {
		if decision.Policy == policy && decision.Decision == v1beta1.DecisionApproved {
			approved[decision.By] = true
		}
	}
	for _, decision := range h.decisions(policy) {
		delete(approved, decision.By)
	}
	return len(approved)
}

func deniedText(decision v1beta1.MaintenanceDecision) string {
	if decision.Reason == "" {
		return "denied by " + decision.By
	}
	return fmt.Sprintf("denied by %s: %s", decision.By, decision.Reason)
}

func approvalText(by []string, count int32, void int) string {
	text := fmt.Sprintf("%d of %s", len(by), english.Plural(int(count), "approval", ""))
	if len(by) > 0 {
		text += " (" + strings.Join(by, ", ") + ")"
	}
	if void > 0 {
		text += fmt.Sprintf(" (%d void: the spec or the node has changed since)", void)
	}
	return text
}
