// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// step is one thing that a reconcile does for a node. deeds says who does it.
type step string

const (
	deleteExpired  step = "delete the holds whose time is over"
	tellUnread     step = "tell which holds cannot be read"
	forgetDrain    step = "stop the drain and forget it"
	confirmUnheld  step = "ask the server whether nobody holds the node"
	confirmGone    step = "ask the server whether the node is gone"
	readNode       step = "ask the server for the node and its holds"
	watchPods      step = "watch the pods of the node"
	recordBefore   step = "record what the node was like before"
	askGates       step = "ask the gates"
	sayUnanswered  step = "say which gate did not answer"
	cordonNode     step = "cordon the node"
	drainNode      step = "drain the node"
	pauseDrain     step = "pause the drain"
	saveStatuses   step = "save the statuses"
	saveConditions step = "save the conditions of the node"
	showPlanned    step = "show whether the maintenance is planned"
	tellLeftBehind step = "tell that another server left the node behind"
	askKeepers     step = "ask the gates whether they keep the node"
	sayKept        step = "say what keeps the node"
	giveNodeBack   step = "give the node back"
	sayNotGiven    step = "say why the node is not given back"
	releaseGates   step = "release the gates"
	sayNotReleased step = "say why the gates are not released"
	forgetNode     step = "forget the node"
	sayUnknown     step = "say for whom the node stays as it is"
	holdBack       step = "post no eviction before the next plan"
	endHolds       step = "let the ending holds end"
	saveReleased   step = "save the statuses of holds that have ended"
	// rest is no step: there is nothing more to be done before the next look.
	rest step = ""
)

// choice is a step of a list, and whether it is due.
type choice struct {
	step step
	due  bool
}

// next says what is to be done next for the node. It only reads the view.
func next(v *view) step {
	for _, list := range [][]choice{
		{
			{deleteExpired, true},
			{tellUnread, true},
			{forgetDrain, !v.drains},
		},
		v.steps(),
		{{saveReleased, true}},
	} {
		if found := firstDue(v, list); found != rest {
			return found
		}
	}
	return rest
}

// firstDue is the first step that is due of those after the last one that was done. So each is done once, and in the
// order of the list.
func firstDue(v *view, list []choice) step {
	for i := len(list) - 1; i >= 0; i-- {
		if v.did(list[i].step) {
			list = list[i+1:]
			break
		}
	}
	if i := slices.IndexFunc(list, func(c choice) bool { return c.due }); i >= 0 {
		return list[i].step
	}
	return rest
}

// steps are what is to be done for a node of its kind, in this order.
func (v *view) steps() []choice {
	switch v.situation {
	case holdstatus.Unheld:
		return v.leaveAlone()
	case holdstatus.Gone:
		return v.release(choice{confirmGone, len(v.Ending) > 0 || v.gateHolds})
	case holdstatus.Unwanted:
		return v.giveBack()
	case holdstatus.Undecided:
		return []choice{
			{askGates, v.marks.Ours},      // they keep what they hold for it
			{endHolds, v.Recorded != nil}, // nobody needs their records
			{sayUnknown, true},
		}
	default:
		return v.takeOut()
	}
}

// takeOut takes the node out of service, and keeps it out. The pods are listed while it is cordoned. At least one hold
// must have recorded what it was like before; then ending holds need not keep the record. Nothing is evicted from a node
// that new pods may come to.
func (v *view) takeOut() []choice {
	switch {
	case v.failed(watchPods):
		return nil
	case v.failed(readNode), v.did(recordBefore) && (v.before == nil || againLater(v.done[recordBefore])), v.notCordonedYet():
		return []choice{{pauseDrain, true}}
	case v.unanswered():
		return []choice{{sayUnanswered, !againLater(v.done[askGates])}, {pauseDrain, true}}
	}
	return []choice{
		{watchPods, v.drains},
		{readNode, v.needsRecord()},
		{recordBefore, true},
		{holdBack, len(v.Ending) > 0},
		{endHolds, true},
		{askGates, true},
		{cordonNode, v.waitsFor == nil && !v.failed(askGates)},
		{drainNode, v.cordoned && v.Stage() == v1beta1.StageDrain},
		{pauseDrain, !v.cordoned},
		{saveStatuses, true},
		{saveConditions, v.cordoned || v.marks.Conditioned}, // a node that was never cordoned gets none
	}
}

// giveBack gives the node back, and only then lets the holds end that are being deleted. A hold ends even if the planned
// mark and the conditions cannot be cleared: they only inform others.
func (v *view) giveBack() []choice {
	if cause := v.failure(readNode, askKeepers, giveNodeBack); cause != nil {
		return []choice{{sayNotGiven, !againLater(cause)}}
	}
	if v.keeps != nil {
		return []choice{{sayKept, true}}
	}
	return v.release(
		choice{readNode, v.mayBeMarked()},
		choice{askKeepers, v.ours != nil},
		choice{giveNodeBack, v.ours != nil},
		choice{showPlanned, true},
		choice{saveConditions, true},
	)
}

// release lets go of a node that no longer needs what the gates hold for it, after the steps that come first.
func (v *view) release(first ...choice) []choice {
	free := !v.failed(confirmGone)
	return append(first,
		choice{releaseGates, free},
		choice{sayNotReleased, v.failed(releaseGates)},
		choice{saveStatuses, true},
		choice{endHolds, free && !v.failed(releaseGates)},
	)
}

// leaveAlone deals with a node without holds. A node that carries both our marks was left behind: our store was restored
// to an older state. It is given back as its annotation says, since no hold says it any more. A node that another store's
// server has marked is not changed. A node that was given back must not keep our conditions, if they could not be cleared
// then.
func (v *view) leaveAlone() []choice {
	if v.keeps != nil || v.failure(confirmUnheld, readNode, askKeepers, giveNodeBack, releaseGates) != nil {
		return nil
	}
	leftBehind := v.marks.Annotated && v.marks.Tainted
	return []choice{
		{confirmUnheld, v.named && !v.outOfService()},
		{showPlanned, v.node != nil},
		{tellLeftBehind, leftBehind && !v.marks.Ours},
		{readNode, leftBehind && v.marks.Ours},
		{askKeepers, v.ours != nil},
		{giveNodeBack, v.ours != nil},
		{releaseGates, v.memory.unreleased},
		{saveConditions, v.node != nil && (!v.marks.Annotated || v.did(readNode))},
		{forgetNode, !v.did(tellLeftBehind) && v.failure(showPlanned, saveConditions) == nil && len(v.memory.holds) == 0},
	}
}

// did says whether the step was done in this reconcile, or tried.
func (v *view) did(s step) bool {
	_, done := v.done[s]
	return done
}

func (v *view) failed(s step) bool { return v.done[s] != nil }

// failure is the reason why the first of these steps failed that did.
func (v *view) failure(steps ...step) error {
	for _, s := range steps {
		if err := v.done[s]; err != nil {
			return err
		}
	}
	return nil
}

// notCordonedYet says whether the node is to be looked at again first, since what is known of it is old.
func (v *view) notCordonedYet() bool {
	return !v.cordoned && v.waitsFor == nil && !v.unanswered() && againLater(v.failure(askGates, cordonNode))
}

// unanswered says whether a gate gave no answer for a node in maintenance. That says nothing of the node.
func (v *view) unanswered() bool {
	return v.failed(askGates) && v.waitsFor == nil &&
		(v.marks.Annotated || slices.ContainsFunc(v.Active, func(h holdstatus.Hold) bool { return h.Imported }))
}

// outOfService says whether the node may be in maintenance, by whatever server or operator.
func (v *view) outOfService() bool {
	return v.node != nil && (v.marks.Annotated || v.marks.Tainted || v.node.Spec.Unschedulable)
}

// mayBeMarked says whether the node may carry our marks, so that the API server must be asked.
func (v *view) mayBeMarked() bool {
	return v.marks.Annotated || v.marks.Tainted || len(v.Ending) > 0 ||
		slices.ContainsFunc(v.Active, func(h holdstatus.Hold) bool { return h.Told.NodeBefore != nil })
}

// needsRecord says whether a hold is to record what the node was like before, and no other hold says it. Then the API
// server is asked: a stale cache could show the node as it was before our cordon, or lack the hold that has the record.
func (v *view) needsRecord() bool {
	lacks := slices.ContainsFunc(v.Active, func(h holdstatus.Hold) bool { return h.Lacks })
	return lacks && (v.Recorded == nil || !v.sets.Recorded(*v.Recorded))
}
