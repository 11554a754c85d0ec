// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// adopt enters nodes that are in maintenance and not in the ledger, without asking for room: the first policy for them
// is new, or the ledger was lost. Those for which the ledger has no room are entered later, and nothing starts meanwhile.
// To the entry of a node, it adds the holds for which the marks on the node say that this server took it.
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
		if unknown[n] || (s.entryOf(n) != nil && h.Status.Admission == nil && h.taken) {
			s.adoptHold(h)
		}
	}
}

func (s *state) adoptHold(h *hold) {
	stage, since := h.begun(), h.takenSince(s.now)
	if stageRank(stage) < 1 || !s.claim(h) {
		return
	}
	e := s.entryOf(h.node)
	if e == nil {
		e = s.enter(h.node, since)
	}
	if since.Before(&e.AdmittedTime) {
		e.AdmittedTime = since
	}
	e.Holds = append(e.Holds, v1beta1.LedgerHold{UID: h.UID, Stage: stage, Time: since})
}

// hasTaken says whether the hold has its node in maintenance, as far as the objects tell. An imported hold has, too, until
// its node was given back: then its status has no record.
func (h *hold) hasTaken() bool {
	recorded := h.Status.NodeUID == h.node.UID && h.Status.NodeBefore != nil
	isNew := h.Status.ObservedGeneration == 0
	return h.taken || (h.outBefore && (recorded || isNew))
}

// begun is the stage of what has begun for a hold that has its node in maintenance. A stage that was raised since asks
// for its own consent, so a drain that has not begun does not count.
func (h *hold) begun() v1beta1.MaintenanceStage {
	stage := wanted(h.NodeMaintenance)
	if admission := h.Status.Admission; admission != nil && admission.Stage != "" {
		stage = lower(stage, admission.Stage)
	}
	if h.taken && h.Status.StartTime == nil {
		stage = lower(stage, v1beta1.StageCordon)
	}
	return stage
}

// takenSince is the time since which the hold has its node in maintenance, as far as the objects tell.
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
