// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// modelAdmission admits holds late, and first to their cordon. Each process begins without knowing anything, and
// may forget whom it has admitted. The world's lock guards it.
type modelAdmission struct {
	world *world
	// admitted is how far holds were admitted, and when.
	admitted map[types.UID]v1beta1.MaintenanceStage
	times    map[types.UID]time.Time
	planned  map[string]bool
	// knows is from when something is known; remembers is from when it is known who was admitted.
	knows, remembers time.Time
	// replanned is the time when a node was last planned, or no more.
	replanned map[string]time.Time
}

func newModelAdmission(w *world) *modelAdmission {
	return &modelAdmission{
		world: w, admitted: map[types.UID]v1beta1.MaintenanceStage{}, times: map[types.UID]time.Time{},
		planned: map[string]bool{}, replanned: map[string]time.Time{},
	}
}

// begin is called before a process begins to lead.
func (m *modelAdmission) begin() {
	m.knows = time.Now().Add(m.world.upTo(10 * time.Second))
	m.remembers = m.knows
	if m.world.chance(30) {
		m.remembers = m.knows.Add(m.world.upTo(20 * time.Second))
	}
}

// Admitted implements Admission.
func (m *modelAdmission) Admitted(hold *v1beta1.NodeMaintenance) (answer holdstatus.Admitted) {
	m.world.locked(func() { answer = m.answer(hold) })
	return answer
}

// Planned implements Admission.
func (m *modelAdmission) Planned(node string) (planned bool) {
	m.world.locked(func() { planned = m.planned[node] })
	return planned
}

func (m *modelAdmission) answer(hold *v1beta1.NodeMaintenance) holdstatus.Admitted {
	now := time.Now()
	if now.Before(m.knows) {
		m.world.check.saw["nothing is known of a hold"]++
		return holdstatus.Admitted{Again: m.knows}
	}
	answer := holdstatus.Admitted{
		Known: true, Stage: v1beta1.AdmittedStage(hold.Spec.Stage, m.stageOf(hold)), Reason: v1beta1.AdmissionAdmitted,
		Message: "admitted", Status: &v1beta1.MaintenanceAdmission{},
	}
	if now.Before(m.remembers) {
		m.world.check.saw["an admission is forgotten"]++
		answer.Stage = v1beta1.AdmittedStage(hold.Spec.Stage, v1beta1.StageIdle)
	}
	if answer.Stage != hold.Spec.Stage {
		answer.Reason, answer.Message, answer.Again = v1beta1.AdmissionQueued, "it waits", now.Add(2*time.Second)
	}
	if answer.Stage != v1beta1.StageIdle {
		answer.Status.AdmittedTime = &metav1.Time{Time: m.times[hold.UID]}
	}
	return answer
}

// stageOf is how far the hold was admitted.
func (m *modelAdmission) stageOf(hold *v1beta1.NodeMaintenance) v1beta1.MaintenanceStage {
	if stage, found := m.admitted[hold.UID]; found {
		return stage
	}
	return v1beta1.StageIdle
}

// effective is how far the hold goes now.
func (w *world) effective(hold *v1beta1.NodeMaintenance) v1beta1.MaintenanceStage {
	if w.admission == nil {
		return hold.Spec.Stage
	}
	return v1beta1.AdmittedStage(hold.Spec.Stage, w.admission.stageOf(hold))
}

// decide admits some of the holds, and takes back what holds do not ask for any more, once the drainer has
// stopped that.
func (m *modelAdmission) decide() {
	for _, hold := range m.world.activeHolds() {
		asked, stage := hold.Spec.Stage, m.stageOf(hold)
		seen := hold.Status.ObservedGeneration == hold.Generation && time.Now().After(m.remembers)
		switch {
		case asked == v1beta1.StageIdle && seen && hold.Status.NodeBefore == nil:
			delete(m.admitted, hold.UID)
		case asked == v1beta1.StageCordon && stage == v1beta1.StageDrain && seen && hold.Status.StartTime == nil:
			m.admit(hold, v1beta1.StageCordon)
		case m.world.chance(20):
			m.admit(hold, v1beta1.AdmittedStage(asked, oneOf(m.world, v1beta1.StageCordon, v1beta1.StageDrain)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.world.nodes)) {
		if m.world.chance(15) {
			m.plan(name, m.world.chance(50))
		}
	}
}

func (m *modelAdmission) plan(node string, planned bool) {
	if m.planned[node] != planned {
		m.planned[node], m.replanned[node] = planned, time.Now()
		m.world.trace("node %s is planned: %t", node, planned)
	}
}

// admit admits a hold, unless it was admitted to more, which it still asks for.
func (m *modelAdmission) admit(hold *v1beta1.NodeMaintenance, stage v1beta1.MaintenanceStage) {
	was := m.world.effective(hold)
	if stage == v1beta1.StageIdle || (holdstatus.StageRank(stage) <= holdstatus.StageRank(was) && holdstatus.StageRank(m.stageOf(hold)) <= holdstatus.StageRank(hold.Spec.Stage)) {
		return
	}
	if was == v1beta1.StageIdle {
		m.times[hold.UID] = time.Now()
	}
	m.admitted[hold.UID] = stage
	m.world.check.saw["admitted to "+string(stage)]++
	m.world.trace("hold %s (%s) is admitted to %s", hold.Name, hold.UID, stage)
	m.world.newVersion(hold, was)
}

// newVersion notes how far a hold goes from now on. was is how far it went before.
func (w *world) newVersion(hold *v1beta1.NodeMaintenance, was v1beta1.MaintenanceStage) {
	record, next := w.endVersion(hold), hold.DeepCopy()
	next.Spec.Stage = w.effective(hold)
	if next.Spec.Stage == v1beta1.StageDrain && was != v1beta1.StageDrain {
		record.resumed = time.Now()
	}
	record.versions = append(record.versions, holdVersion{NodeMaintenance: next, from: time.Now()})
}

// calm has some of the holds be admitted, and the others wait for good.
func (m *modelAdmission) calm() {
	m.knows, m.remembers = time.Now(), time.Now()
	all := m.world.chance(70)
	for _, hold := range m.world.activeHolds() {
		if all || m.world.chance(50) {
			m.admit(hold, hold.Spec.Stage)
		}
	}
}

// wake has the process that leads look at all nodes.
func (m *modelAdmission) wake() {
	for name := range m.world.nodes {
		m.world.leading.drainer.Wake(name)
	}
}

// cordonChanged checks a patch of a node that sets or removes our marks.
func (c *modelCheck) cordonChanged(before, after *corev1.Node) {
	c.plannedRightly(before, after)
	switch was, is := nodemarks.Annotated(before), nodemarks.Annotated(after); {
	case is && !was && !c.maySince(after.Name, c.recent()):
		c.fail("node %s is cordoned, and no hold was admitted", after.Name)
	case was && !is:
		for _, hold := range c.activeHolds() {
			if c.hasTaken(hold, before) {
				c.fail("node %s is given back, and hold %s has it: %+v", after.Name, hold.Name, hold.Status)
			}
		}
	}
}

// maySince says whether a hold was to have the node cordoned at any time since then.
func (c *modelCheck) maySince(node string, since time.Time) bool {
	for _, record := range c.holds {
		for _, v := range record.versions {
			if v.Spec.NodeName == node && v.Spec.Stage != v1beta1.StageIdle && (v.until.IsZero() || !v.until.Before(since)) {
				return true
			}
		}
	}
	return false
}

// hasTaken says whether the hold was admitted and has the node, and the drainer must know.
func (c *modelCheck) hasTaken(hold *v1beta1.NodeMaintenance, node *corev1.Node) bool {
	versions := c.holds[hold.UID].versions
	last := versions[len(versions)-1]
	return hold.Spec.NodeName == node.Name && last.Spec.Stage != v1beta1.StageIdle && last.from.Before(c.recent()) &&
		hold.Status.NodeUID == node.UID && hold.Status.NodeBefore != nil
}

// plannedRightly checks that a node is marked as planned only while it is, and is not in maintenance.
func (c *modelCheck) plannedRightly(before, after *corev1.Node) {
	if hasPlannedTaint(before) || !hasPlannedTaint(after) {
		return
	}
	c.saw["marked as planned"]++
	if c.admission == nil || nodemarks.Annotated(after) || (!c.admission.planned[after.Name] && c.admission.replanned[after.Name].Before(c.recent())) {
		c.fail("node %s is marked as planned", after.Name)
	}
}

func hasPlannedTaint(node *corev1.Node) bool {
	return nodemarks.NewMarks(drainertest.StoreID, nil).Planned(node)
}

func saysPlanned(node *corev1.Node) bool {
	return nodeSays(node, corev1.NodeMaintenancePlanned) == corev1.ConditionTrue
}

// waitsRightly checks the status of a hold that says that it waits.
func (c *modelCheck) waitsRightly(hold *v1beta1.NodeMaintenance) {
	is := hold.Status
	if v1beta1.StageNow(hold) != v1beta1.StageIdle || holdstatus.ConditionReason(is, v1beta1.ConditionCordoned) != v1beta1.ReasonNotAdmitted {
		return
	}
	c.saw["status of a hold that waits"]++
	if is.Phase != v1beta1.PhasePending || holdstatus.Drained(is) || is.NodeBefore != nil || is.StartTime != nil {
		c.fail("hold %s waits and says more: %+v", hold.Name, is)
	}
}

// checkWaiting checks a hold that was not admitted to all that it asks for.
func (w *world) checkWaiting(hold *v1beta1.NodeMaintenance) {
	w.check.saw["ends waiting"]++
	want := map[v1beta1.MaintenanceStage]string{
		v1beta1.StageIdle: v1beta1.ReasonNotAdmitted, v1beta1.StageCordon: v1beta1.ReasonCordoned,
	}[w.effective(hold)]
	status := hold.Status
	if status.Phase != v1beta1.PhasePending || status.LastError != "" || status.ObservedGeneration != hold.Generation ||
		holdstatus.ConditionReason(status, v1beta1.ConditionCordoned) != want || holdstatus.ConditionReason(status, v1beta1.ConditionDrained) != v1beta1.ReasonNotAdmitted &&
		hold.Spec.Stage == v1beta1.StageDrain {
		w.check.fail("hold %s waits at %s, and says %+v", hold.Name, w.effective(hold), status)
	}
}

// plannedAtTheEnd says whether the node is to be marked as planned: it is, and a hold waits for it.
func (w *world) plannedAtTheEnd(node string) bool {
	return w.admission != nil && w.admission.planned[node] && slices.ContainsFunc(w.activeHolds(), func(h *v1beta1.NodeMaintenance) bool {
		return h.Spec.NodeName == node && h.Spec.Stage != v1beta1.StageIdle && w.effective(h) == v1beta1.StageIdle
	})
}
