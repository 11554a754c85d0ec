// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/webhook"
)

// EventType is the type of the events that the trigger sends. Their data is Data, and their timestamp is when the
// transition was decided.
const EventType = "nodeprofile.trigger"

// Data is what the server is told. Fields may be added.
type Data struct {
	// ID tells the step of the transition from all others. The header webhook-id is a hash of it.
	ID string `json:"id"`
	// Node is the name of the node, and NodeUID its UID: a new node of the same name has another one.
	Node    string    `json:"node"`
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// Profile is the name of the MaintenanceProfile.
	Profile string `json:"profile"`
	// State is the state that the profile is in on the node: From, or Next once that was entered.
	State v1beta1.ProfileState `json:"state"`
	// Transition is the name of the transition, which leads from the state From to the state Next.
	Transition string               `json:"transition"`
	From       v1beta1.ProfileState `json:"from"`
	Next       v1beta1.ProfileState `json:"next"`
	// Phase is Triggers before the state changes, or Enter after that.
	Phase v1beta1.TransitionPhase `json:"phase"`
	// Trigger is the name of the trigger.
	Trigger string `json:"trigger"`
	// By is the user who pushed the transition, and Reason why. Empty if its checks have passed.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// eventOf is the event of a step. It depends on what is recorded alone, so it is the same for each try.
func eventOf(step action.Step) webhook.Event {
	np, transition := step.NodeProfile, step.Transition
	return webhook.Event{
		Type: EventType, Timestamp: transition.DecidedTime.UTC(),
		Data: Data{
			ID: step.ID(), Node: np.Spec.NodeName, NodeUID: np.Status.NodeUID, Profile: step.Profile, State: np.Status.State,
			Transition: transition.Name, From: transition.From, Next: transition.Next, Phase: transition.Phase,
			Trigger: step.Recorded.Trigger.Name, By: transition.By, Reason: transition.Reason,
		},
	}
}
