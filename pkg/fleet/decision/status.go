// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// maxFailures is how many failures a status lists.
	maxFailures = 20

	conditionOpen    = "Open"
	conditionStopped = "Stopped"
)

// status is what the status of the policy is to say.
func (s *state) status(p *policy, waiting int) v1beta1.MaintenancePolicyStatus {
	status := v1beta1.MaintenancePolicyStatus{
		ObservedGeneration: p.generation,
		Selected:           int32(len(p.selected)),
		InMaintenance:      int32(len(p.taken.concurrent)),
		Soaking:            int32(len(p.taken.concurrent) - len(p.taken.held)),
		Unavailable:        int32(len(p.taken.unavailable)),
		Waiting:            int32(waiting),
		MaxConcurrent:      asInt32(p.limits.concurrent),
		MaxUnavailable:     asInt32(p.limits.unavailable),
		Failures:           s.listFailures(p),
		Conditions:         []metav1.Condition{s.open(p), s.stopped(p)},
	}
	if p.stop != nil {
		status.StoppedTime = p.stop.Time.DeepCopy()
	}
	if p.times.MayStart {
		status.NextCloseTime = metaTime(p.times.Until)
	} else {
		status.NextOpenTime = metaTime(p.ahead.NextStart(s.now))
	}
	return status
}

// listFailures are the last failures that count, oldest first.
func (s *state) listFailures(p *policy) []v1beta1.PolicyFailure {
	var counted []v1beta1.PolicyFailure
	if p.spec.AutoStop == nil {
		return nil
	}
	for _, f := range s.failures {
		if s.counts(p, f) {
			counted = append(counted, f.PolicyFailure)
		}
	}
	return counted[max(0, len(counted)-maxFailures):]
}

func (s *state) open(p *policy) metav1.Condition {
	condition := metav1.Condition{
		Type: conditionOpen, ObservedGeneration: p.generation, Status: metav1.ConditionFalse, Reason: string(p.times.Reason),
	}
	switch {
	case p.invalid != nil:
		condition.Reason = string(v1beta1.AdmissionInvalidPolicy)
		condition.Message = "this version of the server cannot apply the policy: " + p.invalid.Error()
	case p.times.MayStart:
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Open", "the schedule lets maintenance start"+p.butText()
	default:
		condition.Message = p.closed
	}
	return condition
}

// butText says why nothing starts although the schedule lets it; empty: nothing but the schedule decides that for all nodes.
func (p *policy) butText() string {
	none := func(limit *int) bool { return limit != nil && *limit == 0 }
	switch {
	case p.spec.Paused:
		return ", but the policy is paused"
	case p.stop != nil:
		return ", but failures have stopped the policy"
	case none(p.limits.concurrent), none(p.limits.unavailable):
		return ", but a limit of the policy is 0"
	default:
		return ""
	}
}

func (s *state) stopped(p *policy) metav1.Condition {
	condition := metav1.Condition{
		Type: conditionStopped, ObservedGeneration: p.generation, Status: metav1.ConditionFalse,
		Reason: "NotStopped", Message: "failures have not stopped the policy",
	}
	if p.stop != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Failures", s.stopText(p)
	}
	return condition
}

func asInt32(n *int) *int32 {
	if n == nil {
		return nil
	}
	converted := int32(*n)
	return &converted
}

func metaTime(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t}
}
