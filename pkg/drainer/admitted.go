// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// stageUndecided is the stage of a hold of which nobody has said yet how far it may go. As with a stage that is
// not known, the hold neither takes its node out of service, nor lets it be given back.
const stageUndecided v1beta1.MaintenanceStage = ""

// hold is a hold of the node as far as it is admitted.
func (l *leader) hold(v *view, maintenance *v1beta1.NodeMaintenance, memory *holdMemory) hold {
	now := l.config.Clock.Now()
	h := newHold(maintenance, memory, now)
	h.Jobs = l.watcher.jobs(maintenance)
	if !h.DeletionTimestamp.IsZero() {
		return h
	}
	return h.admittedAs(l.admitted(maintenance), v, now)
}

func (l *leader) admitted(maintenance *v1beta1.NodeMaintenance) Admitted {
	if l.config.Admission == nil {
		return Admitted{Known: true, Stage: maintenance.Spec.Stage}
	}
	return l.config.Admission.Admitted(maintenance)
}

// admittedAs is the hold with the stage to which it is admitted. A hold that has taken its node out of service
// was admitted. So what it has begun goes on although that is not known yet, or was forgotten: else the node
// would be given back.
func (h hold) admittedAs(answer Admitted, v *view, now time.Time) hold {
	stage, taken := v1beta1.AdmittedStage(h.Spec.Stage, answer.Stage), v.takenBy(h)
	switch {
	case !cordonsAt(h.Spec.Stage):
		stage = h.Spec.Stage
	case !answer.Known || (taken && !cordonsAt(stage)):
		return h.undecided(v, now)
	}
	h.Stage, h.news = stage, h.newsOf(answer, stage, v, now)
	h.again = due.Sooner(h.again, until(answer.Again, now))
	return h.settled(now)
}

// undecided is a hold that goes no further than it has gone.
func (h hold) undecided(v *view, now time.Time) hold {
	h.Stage, h.stays, h.news = stageUndecided, true, nil
	if v.takenBy(h) {
		h.Stage = h.underWay()
		h.stays = h.Stage != h.Spec.Stage
	}
	return h.settled(now)
}

// as is the hold as its status was just written.
func (h hold) as(written *v1beta1.NodeMaintenance, now time.Time) hold {
	again := newHold(written, h.memory, now)
	again.Jobs, again.Stage, again.news, again.stays, again.again = h.Jobs, h.Stage, h.news, h.stays, h.again
	return again.settled(now)
}

// settled is the hold with what follows from its stage.
func (h hold) settled(now time.Time) hold {
	h.Deletes = h.deletes(now)
	return h
}

// underWay is the stage of what has begun for a hold that has taken its node. No drain begins.
func (h hold) underWay() v1beta1.MaintenanceStage {
	stage := h.Spec.Stage
	if admission := ourAdmission(h.told); admission != nil {
		stage = v1beta1.AdmittedStage(stage, admission.Stage)
	}
	if stage == v1beta1.StageDrain && h.told.StartTime != nil {
		return stage
	}
	return v1beta1.StageCordon
}

// takenBy says whether the hold has taken the node out of service, and the node still shows that. What another operator
// has taken, as an import says, counts until this server has the node in maintenance: whoever creates a hold says it.
func (v *view) takenBy(h hold) bool {
	if v.node == nil || !h.recorded(v.node.UID) {
		return false
	}
	return v.marks.tookFor(h.NodeMaintenance) || ((!v.marks.annotated || v.marks.anothers) && v.carriesImported(h))
}

// waits says whether the hold may not go as far as it asks for.
func (h hold) waits() bool { return h.stageKnown() && h.Stage != h.Spec.Stage }

// cordonsAt says whether a hold in this stage has its node cordoned.
func cordonsAt(stage v1beta1.MaintenanceStage) bool {
	return stageRank(stage) >= stageRank(v1beta1.StageCordon)
}

// askAgain is after how long what the holds wait for is to be looked at again if nothing happens; zero: never.
func askAgain(holds []hold) (again time.Duration) {
	for _, h := range holds {
		again = due.Sooner(again, h.again)
	}
	return again
}

// until is how long a time is away, at least a moment; zero: the time is zero.
func until(at, now time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	return max(at.Sub(now), time.Millisecond)
}
