// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Data is what a template can insert. Rendering changes none of it.
type Data struct {
	// Node is {{ .Node }}: the node as JSON, as expression.NodeValue makes it. Nil if it does not exist.
	Node map[string]any
	// Profile is {{ .Profile }} and {{ .Profile.Current }}: the name of the profile; its alias, if it has one.
	Profile string
	// LastProfile is {{ .Profile.Last }}: the profile of the node whose state has changed last.
	LastProfile string
	// State is {{ .State }}: the state that the notification tells of.
	State v1beta1.ProfileState
	// Previous is {{ .Previous }}: the state before.
	Previous v1beta1.ProfileState
	// InMaintenance is {{ .InMaintenance }}: whether any profile of the node is InMaintenance.
	InMaintenance bool
	// LastTransition is {{ .LastTransition }}: when the state was entered. Templates have it in RFC 3339, in UTC.
	LastTransition time.Time
	// LogDetails is {{ .LogDetails }}: whether the node is marked for detailed logs.
	LogDetails bool
	// Checks are {{ .Checks }}: the results of checks. Templates have them by name, with the fields name, result, message
	// and info, as in {{ .Checks.approved.message }}.
	Checks []v1beta1.CheckStatus
}

// The fields that .Profile.Current and .Profile.Last become, since .Profile alone is a text.
const (
	profileCurrent = "ProfileCurrent"
	profileLast    = "ProfileLast"
)

// values are what text/template gets. Nothing in it has methods.
func (d Data) values() map[string]any {
	return map[string]any{
		"Node":           d.Node,
		"Profile":        d.Profile,
		profileCurrent:   d.Profile,
		profileLast:      d.LastProfile,
		"State":          string(d.State),
		"Previous":       string(d.Previous),
		"InMaintenance":  d.InMaintenance,
		"LastTransition": d.LastTransition.UTC().Format(time.RFC3339),
		"LogDetails":     d.LogDetails,
		"Checks":         checkValues(d.Checks),
	}
}

func checkValues(checks []v1beta1.CheckStatus) map[string]any {
	values := map[string]any{}
	for _, check := range checks {
		info := map[string]any{}
		for key, value := range check.Info {
			info[key] = value
		}
		values[check.Name] = map[string]any{
			"name": check.Name, "result": string(check.Result), "message": check.Message, "info": info,
		}
	}
	return values
}
