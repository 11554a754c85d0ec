// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenancepolicy

import (
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// thisWeek is the time for which the day of the week alone tells the day.
const thisWeek = 6 * 24 * time.Hour

// openCell says whether the policy lets maintenance start, apart from its limits: Open, Closed, Paused or
// Stopped; and until when, if a time changes it. It is not known until the status is that of the spec.
func openCell(policy *v1beta1.MaintenancePolicy, now time.Time) any {
	status := &policy.Status
	switch {
	case policy.Spec.Paused:
		return "Paused"
	case policy.Status.ObservedGeneration != policy.Generation:
		return resource.Unknown // the status is that of another schedule
	case apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionStopped):
		return "Stopped"
	case apimeta.IsStatusConditionTrue(status.Conditions, v1beta1.ConditionOpen):
		return until("Open", status.NextCloseTime, zone(policy), now)
	case apimeta.IsStatusConditionFalse(status.Conditions, v1beta1.ConditionOpen):
		return until("Closed", status.NextOpenTime, zone(policy), now)
	default:
		return resource.Unknown
	}
}

func until(state string, end *metav1.Time, zone *time.Location, now time.Time) string {
	if end == nil {
		return state
	}
	layout := "2006-01-02 15:04 MST"
	if end.Sub(now) < thisWeek {
		layout = "Mon 15:04 MST"
	}
	return state + " until " + end.In(zone).Format(layout)
}

// zone is the time zone of the policy's schedule; UTC if this version does not know it.
func zone(policy *v1beta1.MaintenancePolicy) *time.Location {
	if policy.Spec.Schedule == nil {
		return time.UTC
	}
	known, err := time.LoadLocation(policy.Spec.Schedule.TimeZone)
	if err != nil {
		return time.UTC
	}
	return known
}

// topologyCell shows each limit as key: how many nodes of a domain, and how many domains.
func topologyCell(policy *v1beta1.MaintenancePolicy) any {
	var shown []string
	for _, limit := range policy.Spec.Limits.Topology {
		var parts []string
		if limit.MaxConcurrent != nil {
			parts = append(parts, limit.MaxConcurrent.String()+" each")
		}
		if limit.MaxDomains != nil {
			parts = append(parts, fmt.Sprintf("%d at once", *limit.MaxDomains))
		}
		shown = append(shown, limit.Key+": "+strings.Join(parts, ", "))
	}
	if len(shown) == 0 {
		return resource.None
	}
	return strings.Join(shown, "; ")
}

// paceCell shows how many starts in which time, and how long a slot stays taken: 5 per 60m, soak 10m.
func paceCell(policy *v1beta1.MaintenancePolicy) any {
	pace := policy.Spec.Pace
	if pace == nil {
		return resource.None
	}
	var parts []string
	if pace.MaxStarts != nil && pace.PerSeconds != nil {
		parts = append(parts, fmt.Sprintf("%d per %s", *pace.MaxStarts, seconds(*pace.PerSeconds)))
	}
	if pace.SoakSeconds > 0 {
		parts = append(parts, "soak "+seconds(pace.SoakSeconds))
	}
	if len(parts) == 0 {
		return resource.None
	}
	return strings.Join(parts, ", ")
}

func seconds(count int64) string { return duration.HumanDuration(time.Duration(count) * time.Second) }
