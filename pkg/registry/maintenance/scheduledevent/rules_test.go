// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// recorder keeps the warnings that a request is answered with.
type recorder struct{ warnings []string }

func (r *recorder) AddWarning(_, text string) { r.warnings = append(r.warnings, text) }

func requestBy(name string) (context.Context, *recorder) {
	requester := &user.DefaultInfo{Name: name}
	if name == user.APIServerUser {
		requester.Groups = []string{user.SystemPrivilegedGroup}
	}
	warnings := &recorder{}
	return warning.WithWarningRecorder(genericapirequest.WithUser(genericapirequest.NewContext(), requester), warnings), warnings
}

func stored() *v1beta1.ScheduledEvent {
	return &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Generation: 3, ResourceVersion: "7", Finalizers: []string{"example.com/own", v1beta1.EventFinalizer}},
		Spec: v1beta1.ScheduledEventSpec{
			Source: "manual", Code: "system-reboot", NodeName: "worker-1", State: v1beta1.EventScheduled,
		},
		Status:  v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhaseDraining, NodeName: "worker-1"},
		Unknown: "newer",
	}
}

func TestCreateHasFinalizerAndPhase(t *testing.T) {
	event := stored()
	event.Finalizers = []string{v1beta1.EventFinalizer, "example.com/own"}
	rules.Strategy(scheme.Scheme).PrepareForCreate(t.Context(), event)
	want := stored()
	want.Generation, want.Status = 1, v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhasePending}
	if diff := cmp.Diff(want, event); diff != "" {
		t.Errorf("event differs (-want +got):\n%s", diff)
	}
}

func TestUpdateKeeps(t *testing.T) {
	const kept = "metadata.finalizers: maintenance.medik8s.io/withdraw is kept: the server removes it when what the event has begun is withdrawn"
	deleted := func(event *v1beta1.ScheduledEvent) {
		event.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1000, 0)))
	}
	without := func(event *v1beta1.ScheduledEvent) { event.Finalizers = nil }
	for name, test := range map[string]struct {
		by             string
		old, change    func(*v1beta1.ScheduledEvent)
		wantFinalizers []string
		wantGeneration int64
		wantWarnings   []string
	}{
		"the status, and what is not known": {
			by: "alice", change: func(event *v1beta1.ScheduledEvent) {
				event.Status, event.Unknown = v1beta1.ScheduledEventStatus{}, ""
			},
			wantFinalizers: []string{"example.com/own", v1beta1.EventFinalizer}, wantGeneration: 3,
		},
		"a new spec counts": {
			by: "alice", change: func(event *v1beta1.ScheduledEvent) { event.Spec.State = v1beta1.EventCompleted },
			wantFinalizers: []string{"example.com/own", v1beta1.EventFinalizer}, wantGeneration: 4,
		},
		"the finalizer, whoever deletes": {
			by: "alice", old: deleted, change: without, wantFinalizers: []string{v1beta1.EventFinalizer}, wantGeneration: 3, wantWarnings: []string{kept},
		},
		"the server's finalizer while it is not deleted": {
			by: user.APIServerUser, change: without, wantFinalizers: []string{v1beta1.EventFinalizer}, wantGeneration: 3, wantWarnings: []string{kept},
		},
		"not the finalizer, when the server ends it": {by: user.APIServerUser, old: deleted, change: without, wantGeneration: 3},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, recorded := requestBy(test.by)
			old := stored()
			if test.old != nil {
				test.old(old)
			}
			event := old.DeepCopy()
			test.change(event)
			rules.Strategy(scheme.Scheme).PrepareForUpdate(ctx, event, old)
			if !slices.Equal(event.Finalizers, test.wantFinalizers) || event.Generation != test.wantGeneration || !slices.Equal(recorded.warnings, test.wantWarnings) {
				t.Errorf("got finalizers %q, generation %d, warnings %q", event.Finalizers, event.Generation, recorded.warnings)
			}
			if diff := cmp.Diff(old.Status, event.Status); diff != "" || event.Unknown != old.Unknown {
				t.Errorf("status differs (-want +got):\n%s unknown: %s", diff, event.Unknown)
			}
		})
	}
}

func TestStatusUpdateChangesTheStatusAlone(t *testing.T) {
	event := stored()
	event.Spec.NodeName, event.Labels, event.Finalizers, event.Unknown = "worker-2", map[string]string{"a": "b"}, nil, ""
	event.Status.Phase = v1beta1.EventPhaseDrained
	rules.StatusStrategy(scheme.Scheme).PrepareForUpdate(t.Context(), event, stored())
	want := stored()
	want.Status.Phase = v1beta1.EventPhaseDrained
	if diff := cmp.Diff(want, event); diff != "" {
		t.Errorf("event differs (-want +got):\n%s", diff)
	}
}

func TestWarnings(t *testing.T) {
	now := time.Date(2026, 12, 5, 20, 0, 0, 0, time.UTC)
	in := func(hours int) *metav1.Time { return ptr.To(metav1.NewTime(now.Add(time.Duration(hours) * time.Hour))) }
	const known = "; codes that the server knows: instance-reboot, system-reboot, system-maintenance, instance-stop, instance-retirement"
	for name, test := range map[string]struct {
		spec v1beta1.ScheduledEventSpec
		// keeps says that the server is not to replace machines.
		keeps bool
		want  []string
	}{
		"nothing odd":     {spec: v1beta1.ScheduledEventSpec{Code: "system-reboot", NotBefore: in(1)}},
		"only a deadline": {spec: v1beta1.ScheduledEventSpec{Code: "system-reboot", Deadline: in(1)}},
		"only an end":     {spec: v1beta1.ScheduledEventSpec{Code: "system-reboot", NotAfter: in(1)}},
		"no times":        {spec: v1beta1.ScheduledEventSpec{Code: "system-reboot"}, want: []string{"spec: the drain starts as soon as windows and limits of policies allow, since there is no notBefore, deadline or notAfter"}},
		"in the past": {
			spec: v1beta1.ScheduledEventSpec{Code: "system-reboot", NotBefore: in(-1), NotAfter: in(1)},
			want: []string{"spec: the drain starts at once, whatever windows and limits of policies say, " +
				"unless a policy's spec.events.atLatestStart is Wait, since the node was to be empty by 2026-12-05T19:00:00Z"},
		},
		"over": {
			spec: v1beta1.ScheduledEventSpec{Code: "system-reboot", NotBefore: in(-2), NotAfter: in(-1)},
			want: []string{
				"spec: the drain starts at once, whatever windows and limits of policies say, " +
					"unless a policy's spec.events.atLatestStart is Wait, since the node was to be empty by 2026-12-05T18:00:00Z",
				"spec.notAfter: 2026-12-05T19:00:00Z has passed: if the event is over, set spec.state to Completed",
			},
		},
		"another code, without a time": {
			spec: v1beta1.ScheduledEventSpec{Code: "hypervisor-update"},
			want: []string{`spec.code: nothing is done for code "hypervisor-update", unless spec.events of a MaintenancePolicy of the node says what` + known},
		},
		"another machine": {spec: v1beta1.ScheduledEventSpec{Code: "instance-stop", NotBefore: in(1)}},
		"another machine without a machine API": {
			spec: v1beta1.ScheduledEventSpec{Code: "instance-stop", NotBefore: in(1)}, keeps: true,
			want: []string{`spec.code: the machine is to be replaced for code "instance-stop", but this server is not to use machine APIs ` +
				"(--machine-api, in the chart cloudEvents.machineAPI): the node is at most drained, and a person has to replace its machine"},
		},
		"the same machine without a machine API": {spec: v1beta1.ScheduledEventSpec{Code: "system-reboot", NotBefore: in(1)}, keeps: true},
		"it has happened": {
			spec: v1beta1.ScheduledEventSpec{Code: "hypervisor-update", State: v1beta1.EventCompleted},
			want: []string{"spec.state: nothing is done for an event that is Completed already"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.spec.State == "" {
				test.spec.State = v1beta1.EventScheduled
			}
			if diff := cmp.Diff(test.want, Warnings(&test.spec, now, !test.keeps)); diff != "" {
				t.Errorf("warnings differ (-want +got):\n%s", diff)
			}
		})
	}
}
