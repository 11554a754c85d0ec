// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

const (
	// maxWaits is how many waits status.admission has.
	maxWaits = 20
	// maxMessages is how many of them the message of the condition names.
	maxMessages = 3
	// earliestStays is how much a time must differ from the one that was told to be told.
	earliestStays = time.Minute
)

// answer is what was decided about one hold.
type answer struct {
	node string
	// generation is that of the hold which was decided about.
	generation int64
	// approvals are those of the hold which was decided about.
	approvals []v1beta1.MaintenanceDecision
	// free says that it needs no entry in the ledger: no policy has a say in it, and it need not wait.
	free bool
	// labels are those of the node by which that was decided.
	labels   map[string]string
	admitted drainer.Admitted
}

// same says whether the drainer need not look again. When the answer may change by time alone does not matter: then there
// is another decision.
func (a answer) same(other answer) bool {
	now, before := a.admitted, other.admitted
	return a.free == other.free && a.isAbout(other.generation, other.approvals) &&
		now.Stage == before.Stage && now.Reason == before.Reason && now.Message == before.Message &&
		apiequality.Semantic.DeepEqual(now.Status, before.Status)
}

// isAbout says whether the answer is about a hold of that generation with these approvals.
func (a answer) isAbout(generation int64, approvals []v1beta1.MaintenanceDecision) bool {
	return a.generation == generation && apiequality.Semantic.DeepEqual(a.approvals, approvals)
}

// holds says whether the answer holds for the hold as it is now. What was approved must not have changed while the status
// of the hold does not say that it was: until then spec.drain may be changed, and approvals may be withdrawn.
func (a answer) holds(hold *v1beta1.NodeMaintenance) bool {
	status := a.admitted.Status
	switch {
	case a.free:
		return a.generation == hold.Generation
	case status == nil || !status.Approved || hold.Status.Admission.Approves(status.Stage):
		return true
	default:
		return a.isAbout(hold.Generation, approvals(hold))
	}
}

// answer is what the outcome lets the drainer know.
func (t *term) answer(facts decision.Facts, outcome decision.Outcome) known {
	t.mu.Lock()
	before := t.known.answers
	t.mu.Unlock()
	next := known{
		answers: make(map[types.UID]answer, len(facts.Holds)), planned: outcome.Planned, ledger: t.ledger.Stored(),
		queue: queued(facts, outcome),
	}
	free, labels := freed(facts, outcome), labelsOf(facts.Nodes)
	for _, hold := range facts.Holds {
		now := answer{
			node: hold.Spec.NodeName, generation: hold.Generation, approvals: approvals(hold), free: free[hold.UID],
			labels: labels[hold.Spec.NodeName], admitted: own(hold),
		}
		if decided, found := outcome.Holds[hold.UID]; found {
			now.admitted = admitted(hold, decided)
			keepEarliest(now.admitted.Status, before[hold.UID].admitted.Status)
		}
		next.answers[hold.UID] = now
	}
	return next
}

func labelsOf(nodes []*corev1.Node) map[string]map[string]string {
	labels := make(map[string]map[string]string, len(nodes))
	for _, node := range nodes {
		labels[node.Name] = node.Labels
	}
	return labels
}

// freed are the holds that may start without an entry in the ledger.
func freed(facts decision.Facts, outcome decision.Outcome) map[types.UID]bool {
	listed := map[types.UID]bool{}
	for _, entry := range outcome.Ledger.Entries {
		for _, hold := range entry.Holds {
			listed[hold.UID] = true
		}
	}
	free := make(map[types.UID]bool, len(facts.Holds))
	for _, hold := range facts.Holds {
		decided, found := outcome.Holds[hold.UID]
		free[hold.UID] = !listed[hold.UID] && (!found || (decided.Stage != v1beta1.StageIdle && len(decided.Waits) == 0))
	}
	return free
}

// own is the answer for a hold that need not wait for anything.
func own(hold *v1beta1.NodeMaintenance) drainer.Admitted {
	return drainer.Admitted{Known: true, Stage: hold.Spec.Stage}
}

// admitted is the answer for a hold that policies have a say in, or that waits by itself.
func admitted(hold *v1beta1.NodeMaintenance, decided decision.HoldOutcome) drainer.Admitted {
	if waitsForItsNode(hold, decided) {
		return drainer.Admitted{Known: true, Stage: decided.Stage}
	}
	status := &v1beta1.MaintenanceAdmission{
		Stage: decided.Stage, Approved: decided.Approved,
		WaitingFor: decided.Waits[:min(len(decided.Waits), maxWaits)],
	}
	if !decided.AdmittedTime.IsZero() {
		status.AdmittedTime = &metav1.Time{Time: decided.AdmittedTime}
	}
	if !decided.Earliest.IsZero() {
		status.EarliestStartTime = &metav1.Time{Time: decided.Earliest}
	}
	reason, message := said(decided)
	return drainer.Admitted{Known: true, Stage: lower(hold.Spec.Stage, decided.Stage), Status: status, Reason: reason, Message: message}
}

// waitsForItsNode says whether the hold has never waited for anything but a node of its name. Its status says so without
// us, and must not change because somebody has made a policy: nobody knows whether that is to select the node.
func waitsForItsNode(hold *v1beta1.NodeMaintenance, decided decision.HoldOutcome) bool {
	return hold.Status.Admission == nil && len(decided.Waits) == 1 && decided.Waits[0].Reason == v1beta1.AdmissionNodeNotFound
}

// said is what the condition Admitted says.
func said(decided decision.HoldOutcome) (v1beta1.AdmissionReason, string) {
	switch {
	case len(decided.Waits) > 0:
		return decided.Waits[0].Reason, messages(decided.Waits)
	case decided.Bypassed:
		return v1beta1.AdmissionBypassed, "spec.bypassPolicies is true, so it does not wait for policies"
	default:
		return v1beta1.AdmissionAdmitted, "it does not wait for any policy"
	}
}

// messages is what the hold waits for, with the names of the policies.
func messages(waits []v1beta1.AdmissionWait) string {
	text := decision.Message(waits[:min(len(waits), maxMessages)])
	if more := len(waits) - maxMessages; more > 0 {
		text += fmt.Sprintf("; %d more in status.admission.waitingFor", more)
	}
	return text
}

// keepEarliest keeps the time that was told, unless it has changed much: it changes with each decision.
func keepEarliest(next, before *v1beta1.MaintenanceAdmission) {
	if next == nil || before == nil || next.EarliestStartTime == nil || before.EarliestStartTime == nil {
		return
	}
	if next.EarliestStartTime.Sub(before.EarliestStartTime.Time).Abs() < earliestStays {
		next.EarliestStartTime = before.EarliestStartTime
	}
}

// lower is the stage of both that goes less far. One that only a newer version knows is left as it is.
func lower(own, decided v1beta1.MaintenanceStage) v1beta1.MaintenanceStage {
	stages := []v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}
	if slices.Index(stages, decided) < slices.Index(stages, own) {
		return decided
	}
	return own
}

// queued are the nodes that wait, as they are to start: those of one policy after those of another.
func queued(facts decision.Facts, outcome decision.Outcome) (nodes []string) {
	names := make(map[types.UID]string, len(facts.Holds))
	for _, hold := range facts.Holds {
		names[hold.UID] = hold.Spec.NodeName
	}
	seen := map[string]bool{}
	for _, policy := range facts.Policies {
		for _, uid := range outcome.Policies[policy.Name].Queue {
			if node := names[uid]; !seen[node] {
				seen[node] = true
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}
