// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// adopt enters nodes that are in maintenance and not in the ledger, without asking for room: the first policy for them
// is new, or the ledger was lost.
func (s *state) adopt() {
	unknown := map[*node]bool{}
	for _, h := range s.holds {
		n := h.node
		if n == nil || len(n.policies) == 0 || !h.takesOut() || !h.hasTaken() || s.facts.Released[n.Name] || s.admitted(h) != nil {
			continue
		}
		if s.entries[n.Name] == nil {
			unknown[n] = true
		}
		if unknown[n] || (s.entryOf(n) != nil && h.Status.Admission == nil) {
			s.adoptHold(h)
		}
	}
}

func (s *state) adoptHold(h *hold) {
	stage, since := wanted(h.NodeMaintenance), h.takenSince(s.now)
	if admission := h.Status.Admission; admission != nil && admission.Stage != "" {
		stage = lower(stage, admission.Stage)
	}
	if stageRank(stage) < 1 {
		return
	}
	e := s.entryOf(h.node)
	if e == nil {
		e = s.enter(h.node, since)
	}
	if since.Before(&e.AdmittedTime) {
		e.AdmittedTime = since
	}
	e.Holds = append(e.Holds, v1beta1.LedgerHold{Name: h.Name, UID: h.UID, Stage: stage, Time: since})
}

// hasTaken says whether the hold has its node in maintenance, as far as the objects tell. An imported hold has, too, until
// its node was given back: then its status has no record.
func (h *hold) hasTaken() bool {
	recorded := h.Status.NodeUID == h.node.UID && h.Status.NodeBefore != nil
	isNew := h.Status.ObservedGeneration == 0
	return (recorded && marked(h.node.Node)) || (h.outBefore && (recorded || isNew))
}

// takenSince is since when the hold has its node in maintenance, as far as the objects tell.
func (h *hold) takenSince(now time.Time) metav1.MicroTime {
	since := now
	switch admission := h.Status.Admission; {
	case admission != nil && admission.AdmittedTime != nil:
		since = admission.AdmittedTime.Time
	case h.Status.StartTime != nil:
		since = h.Status.StartTime.Time
	}
	if since.After(now) {
		since = now
	}
	return metav1.NewMicroTime(since.Truncate(time.Microsecond))
}

// marked says whether the node carries a mark of maintenance.
func marked(n *corev1.Node) bool {
	_, annotated := n.Annotations[v1beta1.HoldsAnnotation]
	return annotated || slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1beta1.DrainTaint })
}
