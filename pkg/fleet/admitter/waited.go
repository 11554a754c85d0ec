// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// admittedText tells of a hold that does not wait any more: how long it has waited for its start, and for whom. How long
// a stage that was raised later has waited is not known.
func admittedText(hold *v1beta1.NodeMaintenance, started bool, was told, now decision.HoldOutcome) string {
	text := fmt.Sprintf("admitted to its stage %s after waiting", now.Stage)
	if started {
		text = "admitted after waiting " + duration.HumanDuration(waited(hold, now.AdmittedTime))
	}
	return text + was.policies
}

// waitedFor names the policies that a hold waits for, as the end of a sentence.
func waitedFor(waits []v1beta1.AdmissionWait) string {
	var names []string
	for _, wait := range waits {
		if name := fmt.Sprintf("%q", wait.Policy); wait.Policy != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return " for policy " + names[0]
	default:
		return " for policies " + strings.Join(names, ", ")
	}
}
