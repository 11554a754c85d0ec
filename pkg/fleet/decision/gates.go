// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// gatesOf are the start gates that the hold has to pass.
func gatesOf(h *hold) []GateKey {
	if h.Spec.BypassPolicies {
		return nil
	}
	var keys []GateKey
	for _, p := range h.node.policies {
		if p.spec.Gates != nil && len(p.spec.Gates.Start) > 0 {
			keys = append(keys, GateKey{Hold: h.UID, Policy: p.name})
		}
	}
	return keys
}

// gateWaits are what the start gates keep the hold for. failed says that one does not pass; otherwise, one was not
// checked yet.
func (s *state) gateWaits(keys []GateKey) (waits []v1beta1.AdmissionWait, failed bool) {
	for _, key := range keys {
		answer, known := s.facts.Started[key]
		if answer.Passed {
			continue
		}
		wait := v1beta1.AdmissionWait{Policy: key.Policy, Reason: answer.Reason, Message: answer.Message}
		if !known {
			wait.Reason, wait.Message = v1beta1.AdmissionGateFailed, "its start gates are being checked"
		}
		if wait.Reason == "" {
			wait.Reason = v1beta1.AdmissionGateFailed
		}
		waits = append(waits, wait)
		failed = failed || known
	}
	return waits, failed
}
