// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	eventComponent = "maintenance-apiserver"
)

// reporter tells people, by events and metrics, what the drainer did. All events go through it.
type reporter struct {
	recorder record.EventRecorder
	// operators writes the events of the node-maintenance operators; nil: nobody wants them.
	operators record.EventRecorder
	clock     clock.PassiveClock
	// started is the time when this process began to lead.
	started time.Time
}

func newReporter(config Config) *reporter {
	r := &reporter{recorder: config.Recorder, clock: config.Clock, started: config.Clock.Now()}
	if config.OperatorEvents {
		r.operators = config.Recorder
	}
	return r
}

// record has the reporter write its events through the client, until stop is called, unless the
// configuration has a recorder.
func (r *reporter) record(config Config) (stop func()) {
	if r.recorder != nil {
		return func() {}
	}
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: config.Kube.CoreV1().Events("")})
	r.recorder = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: eventComponent})
	if config.OperatorEvents {
		r.operators = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: holdstatus.OperatorComponent})
	}
	return broadcaster.Shutdown
}

// report reports the result of a reconcile of a node. It returns after how long an event may be due; zero:
// never.
func (r *reporter) report(memory *nodeMemory, did result) (again time.Duration) {
	for _, c := range did.changes {
		r.tell(c)
		if written, isStatus := c.(holdstatus.StatusWritten); isStatus {
			observeDrain(written)
		}
	}
	for _, s := range did.statuses {
		again = due.Sooner(again, r.blocked(s.hold, s.status))
	}
	if did.gauges != nil {
		r.gauge(memory, *did.gauges)
	}
	return again
}

// tell writes the events of a change.
func (r *reporter) tell(c holdstatus.Change) {
	tellThrough(r.recorder, c.Events(), v1beta1.SchemeGroupVersion.String())
	if known, isKnown := c.(holdstatus.ToldByOperators); isKnown && r.operators != nil {
		tellThrough(r.operators, known.OperatorEvents(), holdstatus.OperatorAPIVersion)
	}
}

// tellThrough writes the events. The version is that of the API under whose name they speak of holds.
func tellThrough(recorder record.EventRecorder, events []holdstatus.Event, version string) {
	for _, e := range events {
		message := quote.Cut(e.Message, quote.MaxMessage)
		if e.Node != "" {
			recorder.Event(nodeReference(e.Node), e.Kind, e.Reason, message)
		}
		for _, h := range e.Holds {
			recorder.Event(holdReference(h, version), e.Kind, e.Reason, message)
		}
	}
}

func holdReference(h holdstatus.Hold, version string) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: version, Kind: "NodeMaintenance",
		Name: h.Name, UID: h.UID, ResourceVersion: h.ResourceVersion,
	}
}

// nodeReference uses the node's name as the UID, as the kubelet does. Every version of kubectl describe
// finds such events.
func nodeReference(name string) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: name, UID: types.UID(name)}
}

// blocked writes an event for a hold that stays blocked, and another one when the blockage becomes
// permanent, or has another reason. It returns how long to wait until the event is due; zero: none is.
func (r *reporter) blocked(h holdstatus.Hold, status v1beta1.NodeMaintenanceStatus) time.Duration {
	condition := apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionBlocked)
	if condition == nil || condition.Status != metav1.ConditionTrue {
		h.Memory.ToldBlocked = holdstatus.Blockage{}
		return 0
	}
	now, told := holdstatus.NewBlockage(*condition, status), h.Memory.ToldBlocked
	if told.Covers(now) {
		return 0
	}
	at := r.clock.Now()
	if now.Told, now.Quiet = at, holdstatus.BlockedAgain; told.Since.Equal(&now.Since) {
		now.Quiet = min(2*told.Quiet, holdstatus.BlockedMost)
	}
	if r.toldBefore(h, now) {
		h.Memory.ToldBlocked = now
		return 0
	}
	if wait := told.Due(now).Sub(at); wait > 0 {
		return wait
	}
	h.Memory.ToldBlocked = now
	r.tell(holdstatus.DrainBlocked{Hold: h, Status: status})
	return 0
}

// toldBefore says whether the process that led before this one has written the event of the blockage:
// the stored status has the blockage, and its event was due before this process began to lead.
func (r *reporter) toldBefore(h holdstatus.Hold, b holdstatus.Blockage) bool {
	stored := apimeta.FindStatusCondition(h.Told.Conditions, v1beta1.ConditionBlocked)
	return h.Memory.ToldBlocked.Told.IsZero() && stored != nil && holdstatus.NewBlockage(*stored, h.Told).Covers(b) &&
		(b.Permanent || b.Since.Add(holdstatus.BlockedLong).Before(r.started))
}
