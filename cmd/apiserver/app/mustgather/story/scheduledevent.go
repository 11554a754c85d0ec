// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ScheduledEvent tells of what was announced for a node. Nothing is told while its node is not known.
func (s *Story) ScheduledEvent(event *v1beta1.ScheduledEvent) {
	spec, status := &event.Spec, &event.Status
	if status.NodeName == "" {
		return
	}
	tell := func(at *metav1.Time, planned bool, what string) {
		if at != nil {
			s.add(entry{
				at: at.Time, planned: planned, node: status.NodeName, hold: status.Maintenance, source: fromCloud,
				text: event.Name + ": " + what,
			})
		}
	}
	tell(&event.CreationTimestamp, false, fmt.Sprintf("%s was announced by %s", spec.Code, cmp.Or(spec.Source, "an unknown source")))
	tell(status.DrainStartTime, false, "the drain began")
	tell(status.DrainedTime, false, "the node was empty")
	if status.EndTime != nil {
		tell(status.EndTime, false, fmt.Sprintf("%s: %s", status.Phase, status.Outcome))
		return
	}
	if status.DrainStartTime == nil {
		tell(status.StartTime, true, "the drain is to start")
		tell(status.LatestStartTime, true, "the drain has to start")
	}
	if spec.State == v1beta1.EventScheduled {
		tell(spec.NotBefore, true, spec.Code+" begins at the earliest")
	}
}
