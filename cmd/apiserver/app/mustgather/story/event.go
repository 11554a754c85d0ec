// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Event tells of an event of a node, a hold or a pod. The nodes in maintenance and their pods are to be told
// before, and the events of nodes first, since the server writes most events on the node and on its holds: such an event is
// told once.
func (s *Story) Event(event *corev1.Event) {
	e := entry{at: firstTime(event), source: fromEvent, text: textOf(event)}
	switch event.InvolvedObject.Kind {
	case "Node":
		e.node = event.InvolvedObject.Name
		if s.nodes[e.node] == "" && !isOfMaintenance(event) {
			return
		}
		if added := s.add(e); added != nil {
			s.told[e.text] = added
		}
	case "NodeMaintenance":
		e.hold = event.InvolvedObject.Name
		s.holdEvent(e)
	default:
		e.node = cmp.Or(s.podNode[event.InvolvedObject.UID], EventHost(event))
		e.text = event.InvolvedObject.Namespace + "/" + event.InvolvedObject.Name + ": " + e.text
		if s.nodes[e.node] != "" {
			s.add(e)
		}
	}
}

// isOfMaintenance reports whether our server wrote an event, or an operator that it replaces. Of a node that is
// not in maintenance, nothing else is told.
func isOfMaintenance(event *corev1.Event) bool {
	return slices.Contains([]string{"maintenance-apiserver", "NodeMaintenance"}, cmp.Or(event.Source.Component, event.ReportingController))
}

// holdEvent learns the node of a hold that may have ended from the same event on the node.
func (s *Story) holdEvent(e entry) {
	same := s.told[e.text]
	if same == nil {
		s.add(e)
		return
	}
	same.hold = cmp.Or(same.hold, e.hold)
	if s.nodeOf[e.hold] == "" {
		s.nodeOf[e.hold] = same.node
	}
}

// EventHost is the node whose kubelet wrote an event; empty if none did.
func EventHost(event *corev1.Event) string {
	return cmp.Or(event.Source.Host, event.ReportingInstance)
}

// LastTime is when an event was last seen.
func LastTime(event *corev1.Event) time.Time {
	if event.Series != nil {
		return event.Series.LastObservedTime.Time
	}
	return latest(event.LastTimestamp.Time, firstTime(event))
}

func firstTime(event *corev1.Event) time.Time {
	return cmp.Or(event.EventTime.Time, event.FirstTimestamp.Time, event.LastTimestamp.Time, event.CreationTimestamp.Time)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func textOf(event *corev1.Event) string {
	text := event.Reason + ": " + event.Message
	count := event.Count
	if event.Series != nil {
		count = event.Series.Count
	}
	if count > 1 {
		text += fmt.Sprintf(" (%d times, last at %s)", count, LastTime(event).UTC().Format(time.DateTime))
	}
	return text
}
