// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// change changes something.
func (m *model) change() {
	changes := map[string]func(){
		"01 hold": m.addHold, "02 hold": m.addHold, "03 hold": m.addHold, "04 delete hold": m.deleteHold, "05 delete hold": m.deleteHold,
		"06 stage": m.changeStage, "07 relabel": func() { m.someNode().Labels = m.labels() },
		"08 ready":    func() { n := m.someNode(); m.ready(n.Name, m.chance(60)) },
		"09 recreate": m.recreate, "10 cordon": func() { n := m.someNode(); n.Spec.Unschedulable = marked(n) || m.chance(50) },
		"11 policy": m.addPolicy, "12 edit policy": m.editPolicy, "13 delete policy": m.deletePolicy,
		"14 forward": func() { m.pass(time.Duration(m.r.IntN(7200)) * time.Second) },
		"15 forward": func() { m.pass(time.Duration(m.r.IntN(600)) * time.Second) },
		"16 back":    func() { m.pass(-time.Duration(m.r.IntN(900)) * time.Second) },
		"17 gates":   m.answerGates, "18 gates": m.answerGates, "19 approve": m.approve, "20 approve": m.approve, "21 fail": m.fail,
		"22 lose ledger": m.loseLedger,
	}
	what := keys(changes)[m.r.IntN(len(changes))]
	changes[what]()
	m.saw[what[3:]]++
}

func (m *model) someNode() *corev1.Node { return pick(m, m.Nodes...) }

func (m *model) addHold() {
	if len(m.Holds) > 12 {
		return
	}
	m.made++
	h := m.hold(fmt.Sprint("h-", m.made), m.someNode().Name)
	h.Spec.Stage = pick(m, v1beta1.StageDrain, v1beta1.StageDrain, v1beta1.StageCordon, v1beta1.StageIdle, "")
	h.Spec.Priority = pick[int32](m, 0, 0, 0, 5)
	h.Spec.BypassPolicies = m.chance(5)
	if m.chance(10) {
		h.Spec.NotBefore = ptr.To(metav1.NewTime(m.Now.Add(time.Hour)))
	}
	if m.chance(10) {
		h.Spec.StartDeadline = ptr.To(metav1.NewTime(m.Now.Add(time.Hour)))
	}
}

func (m *model) deleteHold() {
	if len(m.Holds) > 0 {
		pick(m, m.Holds...).DeletionTimestamp = ptr.To(metav1.NewTime(m.Now))
	}
}

func (m *model) changeStage() {
	if len(m.Holds) == 0 {
		return
	}
	h := pick(m, m.Holds...)
	h.Spec.Stage = pick(m, v1beta1.StageDrain, v1beta1.StageCordon, v1beta1.StageIdle)
	h.Status.StartTime = nil
	h.Generation++
}

// recreate has another node get the name of one, or adds or removes one.
func (m *model) recreate() {
	n := m.someNode()
	if len(m.Nodes) > 3 {
		m.drop(n.Name)
	}
	if m.chance(70) {
		m.drop(n.Name)
		created := m.addNode(n.Name, m.labels())
		if m.chance(30) {
			created.CreationTimestamp = metav1.NewTime(m.Now)
			m.ready(n.Name, false)
		}
	}
}

func (m *model) addPolicy() {
	if len(m.Policies) < 4 {
		m.made++
		m.randomise(m.policy(fmt.Sprint("p-", m.made)))
	}
}

func (m *model) editPolicy() {
	if len(m.Policies) > 0 {
		p := pick(m, m.Policies...)
		p.Generation++
		m.randomise(&p.Spec)
	}
}

func (m *model) deletePolicy() {
	if len(m.Policies) > 0 && m.chance(50) {
		gone := m.r.IntN(len(m.Policies))
		m.Policies = slices.Delete(m.Policies, gone, gone+1)
	}
}

func (m *model) randomise(spec *v1beta1.MaintenancePolicySpec) {
	*spec = v1beta1.MaintenancePolicySpec{NodeSelector: pick(m,
		&metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}},
		&metav1.LabelSelector{MatchLabels: map[string]string{"pool": "db"}})}
	if m.chance(5) {
		spec.NodeSelector = pick(m, nil, &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "New"}}})
	}
	spec.Paused = m.chance(5)
	if m.chance(60) {
		spec.Limits.MaxConcurrent = limit(pick(m, "0", "1", "1", "2", "3", "10%", "50%"))
	}
	if m.chance(30) {
		spec.Limits.MaxUnavailable = limit(pick(m, "1", "2", "50%"))
	}
	if m.chance(40) {
		spec.Limits.Topology = []v1beta1.TopologyLimit{{Key: corev1.LabelTopologyZone}}
		if m.chance(60) {
			spec.Limits.Topology[0].MaxConcurrent = limit(pick(m, "1", "2", "50%"))
		}
		if m.chance(60) {
			spec.Limits.Topology[0].MaxDomains = ptr.To(pick[int32](m, 1, 2))
		}
	}
	if m.chance(40) {
		spec.Pace = &v1beta1.PolicyPace{SoakSeconds: pick[int64](m, 0, 300, 900)}
		if m.chance(60) {
			spec.Pace.MaxStarts, spec.Pace.PerSeconds = ptr.To(pick[int32](m, 1, 2)), ptr.To[int64](1200)
		}
	}
	m.randomiseConsent(spec)
	spec.Queue.AgingSeconds = ptr.To(pick[int64](m, 0, 600, 3600))
}

// Policies with these windows are never open at the same time.
const (
	evenHours = "0 */2 * * *"
	oddHours  = "0 1-23/2 * * *"
)

func (m *model) randomiseConsent(spec *v1beta1.MaintenancePolicySpec) {
	if m.chance(15) {
		spec.AutoStop = &v1beta1.PolicyAutoStop{Failures: 1, DrainSeconds: ptr.To[int64](1800), HeldSeconds: ptr.To[int64](7200)}
		spec.AutoStop.IgnoreBefore = ptr.To(metav1.NewTime(m.Now))
	}
	if m.chance(20) {
		spec.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{
			Name: "hours", Cron: pick(m, evenHours, oddHours), DurationSeconds: ptr.To[int64](3600),
		}}}
	}
	if m.chance(15) {
		spec.Approvals = &v1beta1.PolicyApprovals{Count: 1, ValidSeconds: ptr.To[int64](3600)}
	}
	if m.chance(20) {
		spec.Gates = &v1beta1.PolicyGates{Start: []v1beta1.PolicyGate{{PlanUnblocked: true}}}
	}
}

// answerGates has the gates of some holds answer.
func (m *model) answerGates() {
	for _, h := range m.Holds {
		for _, p := range m.Policies {
			m.Started[GateKey{Hold: h.UID, Policy: p.Name}] = GateAnswer{
				Passed: m.chance(70), Reason: v1beta1.AdmissionPlanBlocked, Message: "pod web/db cannot leave",
			}
		}
	}
}

func (m *model) approve() {
	if len(m.Holds) == 0 || len(m.Policies) == 0 {
		return
	}
	h := pick(m, m.Holds...)
	if h.Status.Admission == nil {
		h.Status.Admission = &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}
	}
	decision := v1beta1.MaintenanceDecision{
		Policy: pick(m, m.Policies...).Name, Decision: pick(m, v1beta1.DecisionApproved, v1beta1.DecisionApproved, v1beta1.DecisionDenied),
		By: pick(m, "rita", "ann", "bob"), Time: metav1.NewTime(m.Now.Truncate(time.Second)), Generation: h.Generation,
	}
	for _, n := range m.Nodes {
		if n.Name == h.Spec.NodeName {
			decision.NodeUID = n.UID
		}
	}
	h.Status.Admission.Approvals = append(h.Status.Admission.Approvals, decision)
}

func (m *model) fail() {
	if len(m.Holds) > 0 {
		h := pick(m, m.Holds...)
		h.Status.Phase, h.Status.Deadline = v1beta1.PhaseFailed, ptr.To(metav1.NewTime(m.Now))
	}
}

// loseLedger has the ledger lost, which happens seldom: what is admitted and was not begun yet asks anew.
func (m *model) loseLedger() {
	if m.chance(90) {
		return
	}
	m.saw["ledger lost"]++
	m.Ledger = v1beta1.MaintenanceLedgerSpec{}
	m.version++
}
