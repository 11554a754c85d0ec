// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"encoding/json"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Webhook is what a notifier of the kind webhook says. It has no template.
type Webhook struct {
	// Node is the name of the node.
	Node string `json:"node"`
	// Profile is the name of the profile.
	Profile string `json:"profile"`
	// State is the state that the notification tells of.
	State v1beta1.ProfileState `json:"state"`
	// Previous is the state before.
	Previous v1beta1.ProfileState `json:"previous,omitempty"`
	// Since is the time when the state was entered.
	Since time.Time `json:"since"`
	// Notifier is the name of the notifier.
	Notifier string `json:"notifier"`
	// Occasion is what it is sent for.
	Occasion string `json:"occasion"`
}

// JSON is the text of the notification. The error is one of a year that JSON cannot have.
func (w Webhook) JSON() (string, error) {
	w.Since = w.Since.UTC()
	data, err := json.Marshal(w)
	return string(data), err
}
