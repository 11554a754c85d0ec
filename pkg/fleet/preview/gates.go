// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// prometheusWarnings warns of gates that ask a Prometheus server, when the API server knows none.
func prometheusWarnings(gates *v1beta1.PolicyGates) []string {
	if gates == nil {
		return nil
	}
	const cause = " asks Prometheus, but the server was started without --prometheus-url: "
	var warnings []string
	if slices.ContainsFunc(gates.Start, asksPrometheus) {
		warnings = append(warnings, "spec.gates.start"+cause+"no maintenance starts")
	}
	if slices.ContainsFunc(gates.Release, asksPrometheus) {
		warnings = append(warnings, "spec.gates.release"+cause+"nodes stay cordoned after their maintenance")
	}
	return warnings
}

func asksPrometheus(gate v1beta1.PolicyGate) bool { return gate.Prometheus != nil }
