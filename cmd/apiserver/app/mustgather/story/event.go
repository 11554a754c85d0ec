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

// sameEvent is how far apart the times of an event on the node and on its hold may be.
const sameEvent = 2 * time.Second

// Event tells of an event of a node, a hold or a pod: when it was first seen, and when last. The nodes in
// maintenance and their pods are to be told before, and the events of nodes first, since the server writes
// most events on the node and on its holds: such an event is told once.
func (s *Story) Event(event *corev1.Event) {
	said := event.Reason + ": " + event.Message
	first, last, count := firstTime(event), LastTime(event), countOf(event)
	s.happened(event, said, entry{at: first, source: fromEvent, text: said})
	if last.Sub(first) >= time.Second {
		s.happened(event, said, entry{at: last, source: fromEvent, text: fmt.Sprintf("%s (%d times by then)", said, count)})
	}
}

func (s *Story) happened(event *corev1.Event, said string, e entry) {
	switch event.InvolvedObject.Kind {
	case "Node":
		e.node = event.InvolvedObject.Name
		if s.nodes[e.node] == "" && !isOfMaintenance(event) {
			return
		}
		if added := s.add(e); added != nil {
			s.told[said] = append(s.told[said], added)
		}
	case "NodeMaintenance":
		e.hold, e.uid = possible(event.InvolvedObject.Name), event.InvolvedObject.UID
		s.holdEvent(said, e)
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
func (s *Story) holdEvent(said string, e entry) {
	for _, same := range s.told[said] {
		if hold := (holdKey{e.hold, e.uid}); s.nodeOf[hold] == "" {
			s.nodeOf[hold] = same.node
		}
		if same.at.Sub(e.at).Abs() <= sameEvent {
			same.hold = cmp.Or(same.hold, e.hold)
			return
		}
	}
	s.add(e)
}

// EventHost is the node whose kubelet wrote an event; empty if none did.
func EventHost(event *corev1.Event) string {
	return cmp.Or(event.Source.Host, event.ReportingInstance)
}

// LastTime is the time when an event was last seen.
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

func countOf(event *corev1.Event) int32 {
	if event.Series != nil {
		return event.Series.Count
	}
	return event.Count
}
