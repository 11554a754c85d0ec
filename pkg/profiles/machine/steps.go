// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// leastRetry and mostRetry are how long after a failure a step is tried again.
	leastRetry = time.Second
	mostRetry  = time.Minute
)

// Step is the trigger of that name, as the profile has it now, at a place in a list of steps. One that the profile does
// not have has failed.
func Step(profile *v1beta1.MaintenanceProfile, place int, name string) v1beta1.TransitionStep {
	step := v1beta1.TransitionStep{ID: fmt.Sprintf("%d-%s", place, name), State: v1beta1.StepPending}
	at := slices.IndexFunc(profile.Spec.Triggers, func(t v1beta1.ProfileTrigger) bool { return t.Name == name })
	if at < 0 {
		step.Trigger.Name, step.State, step.Message = name, v1beta1.StepFailed, "the profile has no trigger "+name
		return step
	}
	step.Trigger = *profile.Spec.Triggers[at].DeepCopy()
	return step
}

// Current is the step that is to be done next; nil if all are done.
func Current(transition *v1beta1.RecordedTransition) *v1beta1.TransitionStep {
	for i := range transition.Steps {
		if transition.Steps[i].State != v1beta1.StepDone {
			return &transition.Steps[i]
		}
	}
	return nil
}

// AwaitsBoot is the reboot whose boot ID is to be recorded before the next step begins; nil if there is none. With a Job,
// nothing before it has the node reboot, and it is recorded when the reboot itself begins. Else any trigger since the last
// hold may be what asks for it.
func AwaitsBoot(transition *v1beta1.RecordedTransition) *v1beta1.TransitionStep {
	current := Current(transition)
	for i := range transition.Steps {
		step := &transition.Steps[i]
		reboot := step.Trigger.Reboot
		switch {
		case step.State == v1beta1.StepDone:
		case reboot != nil && step.BootID == "" && (step == current || reboot.Job == nil):
			return step
		case reboot != nil, step.Trigger.Hold != nil:
			return nil
		}
	}
	return nil
}

// HasBegun says whether something of the transition may have been done.
func HasBegun(transition *v1beta1.RecordedTransition) bool {
	return transition.Phase == v1beta1.PhaseEnter || slices.ContainsFunc(transition.Steps, func(s v1beta1.TransitionStep) bool {
		return s.State != v1beta1.StepPending && s.State != v1beta1.StepSkipped
	})
}

// Run notes that a step may begin from now on.
func Run(step *v1beta1.TransitionStep, now time.Time) {
	started := micro(now)
	step.State, step.StartTime = v1beta1.StepRunning, &started
}

// TimedOut says when a step has taken too long; zero: never.
func TimedOut(step *v1beta1.TransitionStep) time.Time {
	if step.Trigger.TimeoutSeconds == nil || step.StartTime == nil {
		return time.Time{}
	}
	return step.StartTime.Add(time.Duration(*step.Trigger.TimeoutSeconds) * time.Second)
}

// Failed notes that a step has failed. One that has made an object, such as a Job, must not make another one, and stays so.
// Others are tried again later.
func Failed(step *v1beta1.TransitionStep, message string, now time.Time) {
	step.Message = message
	step.Failures++
	if step.Object != "" {
		step.State, step.NextTime = v1beta1.StepFailed, nil
		return
	}
	Postpone(step, now)
}

// Postpone has a step be tried again, later the more often it has failed.
func Postpone(step *v1beta1.TransitionStep, now time.Time) {
	wait := mostRetry
	if step.Failures < 7 {
		wait = min(leastRetry<<max(step.Failures-1, 0), mostRetry)
	}
	next := micro(now.Add(wait))
	step.NextTime = &next
}

// Done notes that a step is done, and what people should know of that; empty: nothing.
func Done(step *v1beta1.TransitionStep, message string) {
	step.State, step.Message, step.NextTime, step.Failures = v1beta1.StepDone, message, nil, 0
}

// said are the messages of steps that are done.
func said(steps []v1beta1.TransitionStep) string {
	var messages []string
	for i := range steps {
		if steps[i].Message != "" {
			messages = append(messages, steps[i].Trigger.Name+": "+steps[i].Message)
		}
	}
	return quote.Cut(strings.Join(messages, "; "), v1beta1.MaxProfileMessageBytes)
}
