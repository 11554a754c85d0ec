// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// Admitted is how far a hold may go now.
type Admitted struct {
	// Known is false while nothing is known yet, since the process has just begun to lead. The node of the hold
	// is then left as it is, and looked at again when Admission's owner wakes it.
	Known bool
	// Stage is how far the hold may go: its own stage, or a lower one.
	Stage v1beta1.MaintenanceStage
	// Status is what the hold's status.admission is to say, without the approvals; nil: nothing, because no policy
	// selects the node and the hold itself does not wait. If it raises the stage, it is stored before the drainer acts on
	// that, for the hold as it is then. Once it says approved, the registry refuses to withdraw approvals and to change
	// spec.drain.
	Status *v1beta1.MaintenanceAdmission
	// Reason and Message are those of the condition Admitted. The condition is True when the stage is the hold's own.
	Reason  v1beta1.AdmissionReason
	Message string
	// Again is the time when the answer may change by time alone; zero: never.
	Again time.Time
}

// stageUndecided is the stage of a hold of which nobody has said yet how far it may go. As with a stage that is
// not known, the hold neither takes its node out of service, nor lets it be given back.
const stageUndecided v1beta1.MaintenanceStage = ""

// admissionNews is what a status is to say of the admission of its hold.
type admissionNews struct {
	// status is its status.admission without the approvals; nil: none.
	status *v1beta1.MaintenanceAdmission
	// condition is its condition Admitted; nil: none.
	condition *metav1.Condition
}

// AdmittedAs is the hold with the stage to which it is admitted. A hold that has taken its node out of service
// was admitted. So what it has begun goes on although that is not known yet, or was forgotten: else the node
// would be given back.
func (h Hold) AdmittedAs(answer Admitted, now time.Time) Hold {
	stage := v1beta1.AdmittedStage(h.Spec.Stage, answer.Stage)
	switch {
	case !cordonsAt(h.Spec.Stage):
		stage = h.Spec.Stage
	case !answer.Known || (h.taken && !cordonsAt(stage)):
		return h.Undecided(now)
	}
	h.Stage, h.news = stage, h.newsOf(answer, stage, now)
	h.Again = due.Sooner(h.Again, until(answer.Again, now))
	return h.settled(now)
}

// Undecided is a hold that goes no further than it has gone.
func (h Hold) Undecided(now time.Time) Hold {
	h.Stage, h.Stays, h.news = stageUndecided, true, nil
	if h.taken {
		h.Stage = h.underWay()
		h.Stays = h.Stage != h.Spec.Stage
	}
	return h.settled(now)
}

// underWay is the stage of what has begun for a hold that has taken its node. No drain begins.
func (h Hold) underWay() v1beta1.MaintenanceStage {
	stage := h.Spec.Stage
	if admission := ourAdmission(h.Told); admission != nil {
		stage = v1beta1.AdmittedStage(stage, admission.Stage)
	}
	if stage == v1beta1.StageDrain && h.Told.StartTime != nil {
		return stage
	}
	return v1beta1.StageCordon
}

// newsOf is what the status of the hold is to say. Numbers and times change with each start of another node. While
// nothing else has changed, it stays for a while as it was told.
func (h *Hold) newsOf(answer Admitted, stage v1beta1.MaintenanceStage, now time.Time) *admissionNews {
	if !answer.Known {
		return nil
	}
	told := ourAdmission(h.Told)
	if answer.Status == nil {
		return &admissionNews{status: h.waitedOnce(told, now)}
	}
	news := &admissionNews{status: answer.Status.DeepCopy(), condition: &metav1.Condition{
		Status: metav1.ConditionStatus(ConditionStatus(stage == h.Spec.Stage)), Reason: string(answer.Reason), Message: answer.Message,
	}}
	news.status.Stage, news.status.Approvals = stage, nil
	news.status.AdmittedTime = h.admittedTime(InSeconds(answer.Status.AdmittedTime), told)
	news.status.EarliestStartTime = InSeconds(answer.Status.EarliestStartTime)
	was := NewsTold(h.Told)
	if h.Memory == nil || !news.differsInNumbers(was) {
		return news
	}
	h.Memory.Numbers.begin(h.UID, now)
	if wait := h.Memory.Numbers.Wait(now); wait > 0 {
		h.Again = wait
		return was
	}
	return news
}

// admittedTime is the time when the hold was admitted. What was told stays: an admission is not revoked. A hold that had
// taken its node before anybody could have it wait was admitted when it was created.
func (h *Hold) admittedTime(answered *metav1.Time, told *v1beta1.MaintenanceAdmission) *metav1.Time {
	switch {
	case answered == nil:
		return nil
	case told != nil && told.AdmittedTime != nil && h.sameNode:
		return told.AdmittedTime
	case told == nil && h.taken:
		return h.CreationTimestamp.DeepCopy()
	default:
		return answered
	}
}

// waitedOnce is what stays in the status of a hold that has nothing to wait for any more: since when, for
// spec.expirationSeconds counts from then. nil: it never waited.
func (h *Hold) waitedOnce(told *v1beta1.MaintenanceAdmission, now time.Time) *v1beta1.MaintenanceAdmission {
	switch {
	case told == nil || !cordonsAt(h.Spec.Stage):
		return nil
	case told.AdmittedTime != nil:
		return &v1beta1.MaintenanceAdmission{AdmittedTime: told.AdmittedTime}
	default:
		admitted := metav1.NewTime(now)
		return &v1beta1.MaintenanceAdmission{AdmittedTime: InSeconds(&admitted)}
	}
}

// NewsTold is what a status says of the admission.
func NewsTold(status v1beta1.NodeMaintenanceStatus) *admissionNews {
	return &admissionNews{
		status:    ourAdmission(status),
		condition: apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionAdmitted),
	}
}

// differsInNumbers says whether the news are what was told, in other words or with other times.
func (n *admissionNews) differsInNumbers(told *admissionNews) bool {
	if told.status == nil || told.condition == nil || told.condition.Status != n.condition.Status || told.condition.Reason != n.condition.Reason {
		return false
	}
	return told.status.Stage == n.status.Stage && told.status.Approved == n.status.Approved && told.status.AdmittedTime.Equal(n.status.AdmittedTime) &&
		slices.EqualFunc(told.status.WaitingFor, n.status.WaitingFor, func(a, b v1beta1.AdmissionWait) bool {
			return a.Policy == b.Policy && a.Reason == b.Reason
		}) && !n.Says(told)
}

// Says says whether the news are what was told.
func (n *admissionNews) Says(told *admissionNews) bool {
	return n.message() == told.message() && apiequality.Semantic.DeepEqual(n.status, told.status)
}

func (n *admissionNews) message() string {
	if n.condition == nil {
		return ""
	}
	return n.condition.Message
}

// admission writes the news of the admission, and leaves the approvals to the subresource approval.
func (s *statusBuilder) admission() {
	if news := s.hold.news; news != nil {
		s.next.Admission = news.status
		if news.condition == nil {
			apimeta.RemoveStatusCondition(&s.next.Conditions, v1beta1.ConditionAdmitted)
		} else {
			s.condition(v1beta1.ConditionAdmitted, news.condition.Status, news.condition.Reason, "%s", news.condition.Message)
		}
	}
	*s.next = withApprovalsOf(*s.next, s.hold.Status)
}

// WithAdmission is the present status of the hold with the news of its admission.
func (h Hold) WithAdmission(now time.Time) v1beta1.NodeMaintenanceStatus {
	s := statusBuilder{next: h.Present.DeepCopy(), hold: h, now: metav1.NewTime(now).Rfc3339Copy()}
	s.admission()
	if h.Drains() && ConditionReason(*s.next, v1beta1.ConditionDrained) == v1beta1.ReasonNotAdmitted {
		s.listing() // it waits no more
	}
	return *s.next
}

// AdmissionStored says whether the status of the hold says that it may go as far as it is admitted. Nothing starts before
// that is so. Until then approvals may be withdrawn, and what was changed of spec.drain while the hold waited may not have
// reached the cache: then the write ends in a conflict. What has begun before a policy had a say in it goes on.
func (h Hold) AdmissionStored() bool {
	told := ourAdmission(h.Told)
	switch {
	case h.news == nil:
		return true
	case h.news.status != nil && h.news.status.Approved:
		return told.Approves(h.news.status.Stage)
	case told == nil:
		return h.news.status == nil || h.Told.NodeBefore != nil
	default:
		return v1beta1.AdmittedStage(h.Stage, told.Stage) == h.Stage
	}
}

// withApprovalsOf is the status with the approvals of another one. What people decide is not the drainer's.
func withApprovalsOf(status, other v1beta1.NodeMaintenanceStatus) v1beta1.NodeMaintenanceStatus {
	status.Admission = ourAdmission(status)
	if other.Admission != nil && len(other.Admission.Approvals) > 0 {
		if status.Admission == nil {
			status.Admission = &v1beta1.MaintenanceAdmission{}
		}
		status.Admission.Approvals = other.Admission.Approvals
	}
	return status
}

// ourAdmission is a copy of what the drainer says in status.admission: all but the approvals; nil: nothing.
func ourAdmission(status v1beta1.NodeMaintenanceStatus) *v1beta1.MaintenanceAdmission {
	if status.Admission == nil {
		return nil
	}
	ours := *status.Admission
	ours.Approvals = nil
	if apiequality.Semantic.DeepEqual(ours, v1beta1.MaintenanceAdmission{}) {
		return nil
	}
	return &ours
}

// InSeconds is the time as it is stored.
func InSeconds(at *metav1.Time) *metav1.Time {
	if at == nil {
		return nil
	}
	stored := at.Rfc3339Copy()
	return &stored
}

// until is how long a time is away, at least a moment; zero: the time is zero.
func until(at, now time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	return max(at.Sub(now), time.Millisecond)
}

// ConditionStatus is the status of a condition.
func ConditionStatus(is bool) corev1.ConditionStatus {
	if is {
		return corev1.ConditionTrue
	}
	return corev1.ConditionFalse
}
