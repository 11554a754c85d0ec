// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// rules are a policy's spec, made ready for decisions. Goroutines share them.
type rules struct {
	spec v1beta1.MaintenancePolicySpec
	// unreadable is the reason why the policy cannot be read; empty: it can.
	unreadable string
	// selector selects every node if the policy's own cannot be applied.
	selector labels.Selector
	// calendar is always open if the policy's own cannot be applied.
	calendar *calendar.Calendar
	// ahead is the time when the calendar opens; nil: not looked at yet.
	ahead *calendar.Timeline
	// invalid says what this version of the server cannot apply; nil: nothing.
	invalid error
}

func compile(policy *v1beta1.MaintenancePolicy) *rules {
	spec := policy.Spec
	r := &rules{spec: *spec.DeepCopy(), unreadable: v1beta1.WhyUnreadable(policy), selector: labels.Everything()}
	selector, err := selectorOf(spec)
	if err == nil {
		r.selector = selector
	}
	var badTimes error
	if r.calendar, badTimes = calendar.Compile(spec.Schedule); badTimes != nil {
		badTimes = fmt.Errorf("spec.schedule cannot be applied: %w", badTimes)
		r.calendar, _ = calendar.Compile(nil) // that cannot fail
	}
	if r.unreadable != "" {
		r.invalid = fmt.Errorf("what is stored of it cannot be read: %s", r.unreadable)
	}
	for _, bad := range []error{err, badTimes, badLimits(spec.Limits), badPace(spec.Pace), badConsent(spec), badGates(spec.Gates)} {
		if r.invalid == nil && bad != nil {
			r.invalid = bad
		}
	}
	return r
}

// at are the rules for a decision at a time.
func (r *rules) at(now time.Time) *rules {
	ahead := r.calendar.Timeline(now, r.ahead)
	if ahead == r.ahead {
		return r
	}
	next := *r
	next.ahead = ahead
	return &next
}

func badLimits(limits v1beta1.PolicyLimits) error {
	all := []*intstr.IntOrString{limits.MaxConcurrent, limits.MaxUnavailable}
	for _, topology := range limits.Topology {
		if topology.Key == "" || (topology.MaxDomains != nil && *topology.MaxDomains < 1) {
			return errors.New("spec.limits.topology has no key, or fewer than 1 domain")
		}
		all = append(all, topology.MaxConcurrent)
	}
	for _, limit := range all {
		if limit == nil {
			continue
		}
		if _, err := resolve(*limit, 0); err != nil {
			return fmt.Errorf("spec.limits: %w", err)
		}
	}
	return nil
}

func badPace(pace *v1beta1.PolicyPace) error {
	switch {
	case pace == nil:
		return nil
	case (pace.MaxStarts == nil) != (pace.PerSeconds == nil):
		return errors.New("spec.pace has only one of maxStarts and perSeconds")
	case pace.MaxStarts != nil && (*pace.MaxStarts < 1 || *pace.PerSeconds < 1):
		return errors.New("spec.pace has a maxStarts or perSeconds below 1")
	default:
		return nil
	}
}

func badConsent(spec v1beta1.MaintenancePolicySpec) error {
	if spec.Approvals != nil && spec.Approvals.Count < 1 {
		return errors.New("spec.approvals.count is below 1")
	}
	if spec.AutoStop != nil && spec.AutoStop.Failures < 1 {
		return errors.New("spec.autoStop.failures is below 1")
	}
	return nil
}

// badGates finds gates of a form that only a newer version of the server knows.
func badGates(gates *v1beta1.PolicyGates) error {
	if gates == nil {
		return nil
	}
	for _, gate := range gates.Start {
		if !gate.PlanUnblocked && gate.Prometheus == nil && gate.NodeCondition == nil {
			return errors.New("spec.gates.start has a gate of unknown form")
		}
	}
	for _, gate := range gates.Release {
		if !gate.DaemonSetPodsReady && gate.Prometheus == nil && gate.NodeCondition == nil {
			return errors.New("spec.gates.release has a gate of unknown form")
		}
	}
	return nil
}
