// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Warnings says what of a new event is allowed but may not be meant. Where nothing is done for the event, nothing is said of
// what follows. replaces says that the server may replace machines.
func Warnings(spec *v1beta1.ScheduledEventSpec, now time.Time, replaces bool) []string {
	switch {
	case Acts(spec):
	case spec.State != v1beta1.EventScheduled:
		return []string{fmt.Sprintf("spec.state: nothing is done for an event that is %s already", spec.State)}
	default:
		return []string{fmt.Sprintf("spec.code: nothing is done for code %q, unless spec.events of a MaintenancePolicy of the node says what; "+
			"codes that the server knows: %s", spec.Code, strings.Join(v1beta1.KnownCodes(), ", "))}
	}
	var warnings []string
	if !replaces && v1beta1.UsualAction(spec.Code) == v1beta1.EventActionReplace {
		warnings = append(warnings, fmt.Sprintf("spec.code: the machine is to be replaced for code %q, but this server is not to use machine APIs "+
			"(--machine-api, in the chart cloudEvents.machineAPI): the node is at most drained, and a person has to replace its machine", spec.Code))
	}
	return append(warnings, ofTimes(spec, now)...)
}

// Acts says whether something is done for a new event, as far as its spec says.
func Acts(spec *v1beta1.ScheduledEventSpec) bool {
	return spec.State == v1beta1.EventScheduled && v1beta1.UsualAction(spec.Code) != v1beta1.EventActionIgnore
}

// ofTimes warns of a drain that starts at once, or nearly so.
func ofTimes(spec *v1beta1.ScheduledEventSpec, now time.Time) []string {
	var warnings []string
	emptyBy := cmp.Or(spec.NotBefore, spec.Deadline, spec.NotAfter)
	switch {
	case emptyBy == nil:
		warnings = append(warnings, "spec: the drain starts as soon as windows and limits of policies allow, since there is no notBefore, deadline or notAfter")
	case !emptyBy.After(now):
		warnings = append(warnings, fmt.Sprintf("spec: the drain starts at once, whatever windows and limits of policies say, "+
			"unless a policy's spec.events.atLatestStart is Wait, since the node was to be empty by %s", at(emptyBy)))
	}
	if spec.NotAfter != nil && !spec.NotAfter.After(now) {
		warnings = append(warnings, fmt.Sprintf("spec.notAfter: %s has passed: if the event is over, set spec.state to Completed", at(spec.NotAfter)))
	}
	return warnings
}

func at(t *metav1.Time) string { return t.UTC().Format(time.RFC3339) }
