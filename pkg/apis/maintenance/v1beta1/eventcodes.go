// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// usualActions are the codes that the server knows, and what is done for each.
var usualActions = []PolicyEventAction{
	{Code: CodeInstanceReboot, Action: EventActionDrain},
	{Code: CodeSystemReboot, Action: EventActionDrain},
	{Code: CodeSystemMaintenance, Action: EventActionDrain},
	{Code: CodeInstanceStop, Action: EventActionReplace},
	{Code: CodeInstanceRetirement, Action: EventActionReplace},
}

// UsualAction is what is done for a code, unless a policy says otherwise. It is Ignore for a code that is not known.
func UsualAction(code string) EventAction {
	for _, usual := range usualActions {
		if usual.Code == code {
			return usual.Action
		}
	}
	return EventActionIgnore
}

// KnownCodes returns the codes for which something is done although no policy says what.
func KnownCodes() []string {
	codes := make([]string, 0, len(usualActions))
	for _, usual := range usualActions {
		codes = append(codes, usual.Code)
	}
	return codes
}
