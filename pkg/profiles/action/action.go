// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package action is where the engine of profiles meets what its triggers do. The engine records a step in the status of
// the NodeProfile, with state Running, before it calls Do, and calls it again until the step is done or has failed: after
// an error, after a crash, and when another replica leads. Each kind of trigger implements Trigger, in a package of its
// own; the command puts them into Kinds.
//
// A trigger must therefore be one of two things:
//
//   - idempotent: to do it again changes nothing more, such as a patch; or
//   - keyed: the first call leaves something that later calls find by Step.Key, such as a Job of that name. What the key
//     finds is never done again, whatever has become of it. If it was there and is gone, the step has failed.
//
// A trigger keeps nothing in memory that it needs: the next call may come to another process.
package action

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Kind is a kind of trigger, named as its field in ProfileTrigger.
type Kind string

// The kinds of triggers.
const (
	KindPatchNode   Kind = "patchNode"
	KindHold        Kind = "hold"
	KindRelease     Kind = "release"
	KindJob         Kind = "job"
	KindReboot      Kind = "reboot"
	KindWebhook     Kind = "webhook"
	KindPatchObject Kind = "patchObject"
)

// AllKinds are the kinds of triggers.
var AllKinds = []Kind{KindPatchNode, KindHold, KindRelease, KindJob, KindReboot, KindWebhook, KindPatchObject}

// Kinds are the triggers by kind. The command makes it, and the engine asks it. A kind that is missing makes a step fail
// with an error that says so: a newer version may have recorded it.
type Kinds map[Kind]Trigger

// Trigger does what one kind of trigger is for. It is called by the engine, one call at a time for each NodeProfile, and
// by several NodeProfiles at the same time.
type Trigger interface {
	// Do does the step, or goes on with it, and says how far it is. It returns within the context's deadline, which is
	// some seconds away, or as long as an endpoint may take for a webhook. It waits for nothing that takes longer: it says
	// Waiting.
	//
	// An error means that the call has failed and that nobody knows more, such as an API server that does not answer: the
	// engine calls again, with backoff from 1 second to 1 minute, whatever the step's onFailure is, until its
	// timeoutSeconds are over. What fails for good is Failed. Neither has URLs or credentials in its text.
	Do(ctx context.Context, step Step) (Progress, error)
}

// Stopper is a Trigger whose step goes on by itself once it was begun, such as a Job.
type Stopper interface {
	Trigger
	// Stop ends what the step has begun, since its transition is given up: it would do its work on a node that is in
	// service again, or on a new one of its name. It may be called more than once, and for a step that has ended. An error
	// means that nobody knows more: the engine calls again.
	Stop(ctx context.Context, step Step) error
}

// Step is a step of a transition that is to be done.
type Step struct {
	// Profile is the name of the MaintenanceProfile. For texts and names; what is to be done is in Recorded.
	Profile string
	// NodeProfile is where the node is, as it was read from the store after the step was recorded. It must not be changed.
	NodeProfile *v1beta1.NodeProfile
	// Transition is the recorded transition. It must not be changed.
	Transition *v1beta1.RecordedTransition
	// Recorded is the recorded step, with its configuration. It must not be changed. If the steps right after it have the
	// same kind and are recorded as Running, too, the trigger may do all of them in one call.
	Recorded *v1beta1.TransitionStep
	// Node is the node, from the cache. Nil if it does not exist, or another one has its name.
	Node *corev1.Node
	// DryRun says that nothing may be changed: Do says Done if it could do the step, after a dry run where the API server
	// has one.
	DryRun bool
}

// ID is the id of the step that the other side of a webhook sees: it is the same for each call of the step, and no other
// step has it.
func (s Step) ID() string {
	return s.Transition.ID + "/" + string(s.Transition.Phase) + "/" + s.Recorded.ID
}

// Key is a hash of ID, for names of objects: 32 characters, letters a to f and digits.
func (s Step) Key() string {
	sum := sha256.Sum256([]byte(s.ID()))
	return hex.EncodeToString(sum[:16])
}

// Progress is how far a step is. Exactly one of its forms: made by Done, Waiting or Failed.
type Progress struct {
	// State is StepDone, StepRunning (it waits) or StepFailed.
	State v1beta1.StepState
	// Message says in a sentence what it waits for, or why it has failed. Of a step that is done, it says what people should
	// know of that; empty: nothing. It may quote what others wrote: whoever stores it escapes hidden characters, and cuts it.
	Message string
	// Object, if set, is stored as the object of the step before Do is called again. A keyed trigger sets it once it has
	// made what its key finds, and learns from Recorded.Object that it did, even if that is gone by then. A step with an
	// object that has failed is not tried again.
	Object string
	// Again is the time when to call again at the latest; zero: when something wakes the engine.
	Again time.Time
	// Committed says that what was begun cannot be called off any more, such as a node that is down to boot. So the step
	// is not given up since it takes too long. It counts also with an error.
	Committed bool
}

// Done says that the step is done.
func Done() Progress { return Progress{State: v1beta1.StepDone} }

// Waiting says what the step waits for, and when to call again at the latest; zero: when something wakes the engine.
func Waiting(message string, again time.Time) Progress {
	return Progress{State: v1beta1.StepRunning, Message: message, Again: again}
}

// Failed says that the step has failed for good: to call again would not help, or is not allowed. What happens then is
// the step's onFailure.
func Failed(format string, args ...any) Progress {
	return Progress{State: v1beta1.StepFailed, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of a trigger; empty if this version does not know it.
func KindOf(trigger *v1beta1.ProfileTrigger) Kind {
	switch {
	case trigger.PatchNode != nil:
		return KindPatchNode
	case trigger.Hold != nil:
		return KindHold
	case trigger.Release != nil:
		return KindRelease
	case trigger.Job != nil:
		return KindJob
	case trigger.Reboot != nil:
		return KindReboot
	case trigger.Webhook != nil:
		return KindWebhook
	case trigger.PatchObject != nil:
		return KindPatchObject
	default:
		return ""
	}
}
