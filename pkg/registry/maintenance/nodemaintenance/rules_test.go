// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	alice  = &user.DefaultInfo{Name: "alice", Groups: []string{user.AllAuthenticated}}
	admin  = &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}
	server = &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}}
)

// recorder keeps the warnings that a request is answered with.
type recorder struct{ warnings []string }

func (r *recorder) AddWarning(_, text string) { r.warnings = append(r.warnings, text) }

func requestBy(requester user.Info) (context.Context, *recorder) {
	warnings := &recorder{}
	ctx := genericapirequest.WithUser(genericapirequest.NewContext(), requester)
	return warning.WithWarningRecorder(ctx, warnings), warnings
}

func stored() *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{
			Name: "nm-a", Generation: 3, ResourceVersion: "7",
			Finalizers: []string{"example.com/own", v1beta1.UncordonFinalizer},
		},
		Spec: v1beta1.NodeMaintenanceSpec{
			NodeName: "worker-3", Requestor: "alice", Stage: v1beta1.StageDrain,
			Drain: v1beta1.DrainSpec{
				OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
			},
		},
		Status: v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseRunning, DrainProgress: ptr.To[int32](40)},
	}
}

func terminatingSince(nm *v1beta1.NodeMaintenance) *v1beta1.NodeMaintenance {
	nm.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1000, 0)))
	nm.DeletionGracePeriodSeconds = ptr.To[int64](0)
	return nm
}

func TestPrepareForCreate(t *testing.T) {
	tests := map[string]struct {
		finalizers     []string
		requestor      string
		wantFinalizers []string
		wantRequestor  string
	}{
		"nothing set": {
			wantFinalizers: []string{v1beta1.UncordonFinalizer},
			wantRequestor:  "alice",
		},
		"other finalizers are kept": {
			finalizers:     []string{"example.com/a", "example.com/b"},
			wantFinalizers: []string{"example.com/a", "example.com/b", v1beta1.UncordonFinalizer},
			wantRequestor:  "alice",
		},
		"the server's finalizer is there once": {
			finalizers:     []string{v1beta1.UncordonFinalizer, "example.com/a", v1beta1.UncordonFinalizer},
			wantFinalizers: []string{"example.com/a", v1beta1.UncordonFinalizer},
			wantRequestor:  "alice",
		},
		"a requestor is left for validation to judge": {
			requestor:      "bob",
			wantFinalizers: []string{v1beta1.UncordonFinalizer},
			wantRequestor:  "bob",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := stored()
			nm.Finalizers, nm.Spec.Requestor = test.finalizers, test.requestor

			ctx, _ := requestBy(alice)
			newRules(time.Now).Strategy(scheme.Scheme).PrepareForCreate(ctx, nm)

			want := stored()
			want.Generation = 1
			want.Finalizers, want.Spec.Requestor = test.wantFinalizers, test.wantRequestor
			want.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, DrainProgress: ptr.To[int32](0)}
			if diff := cmp.Diff(want, nm); diff != "" {
				t.Errorf("object differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewHoldHasAProgressIfItDrains(t *testing.T) {
	for stage, want := range map[v1beta1.MaintenanceStage]*int32{
		v1beta1.StageIdle: nil, v1beta1.StageCordon: nil, v1beta1.StageDrain: ptr.To[int32](0),
	} {
		nm := stored()
		nm.Spec.Stage = stage
		ctx, _ := requestBy(alice)
		newRules(time.Now).Strategy(scheme.Scheme).PrepareForCreate(ctx, nm)
		if got := nm.Status.DrainProgress; !ptr.Equal(got, want) {
			t.Errorf("stage %s: progress %v, want %v", stage, got, want)
		}
	}
}

func TestValidateRequestor(t *testing.T) {
	const (
		profile       = v1beta1.ProfileRequestor + "flatcar"
		onlyTheServer = "requestors that begin with maintenance.medik8s.io:profile: are MaintenanceProfiles, " +
			"for which only the server itself creates NodeMaintenances"
	)
	withoutUser := genericapirequest.NewContext()
	byAlice, _ := requestBy(alice)
	byServer, _ := requestBy(server)
	byProfile, _ := requestBy(&user.DefaultInfo{Name: profile})
	tests := map[string]struct {
		ctx       context.Context
		requestor string
		want      string
	}{
		"the user":                         {ctx: byAlice, requestor: "alice"},
		"somebody else":                    {ctx: byAlice, requestor: "bob", want: `must be "alice", the user who makes the request; leave it out and the server sets it`},
		"even by the server":               {ctx: byServer, requestor: "alice", want: `must be "system:apiserver", the user who makes the request; leave it out and the server sets it`},
		"a profile, by a user":             {ctx: byAlice, requestor: profile, want: onlyTheServer},
		"a user whose name is a profile's": {ctx: byProfile, requestor: profile, want: onlyTheServer},
		"a profile, by the server":         {ctx: byServer, requestor: profile},
		"an integration, by a user": {
			ctx: byAlice, requestor: v1beta1.VSphereRequestor,
			want: "maintenance.medik8s.io:vsphere is an integration of the server, for which only the server itself creates NodeMaintenances",
		},
		"a scheduled event, by a user": {
			ctx: byAlice, requestor: v1beta1.EventRequestor + "aws.e1",
			want: "requestors that begin with maintenance.medik8s.io:event: are ScheduledEvents, for which only the server itself creates NodeMaintenances",
		},
		"a scheduled event, by the server": {ctx: byServer, requestor: v1beta1.EventRequestor + "aws.e1"},
		"an integration, by the server":    {ctx: byServer, requestor: v1beta1.KubernikusRequestor},
		"no user at all":                   {ctx: withoutUser, requestor: "", want: "must be the user who makes the request"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := stored()
			nm.ResourceVersion, nm.Spec.Requestor = "", test.requestor
			errs := newRules(time.Now).Strategy(scheme.Scheme).Validate(test.ctx, nm)
			if test.want == "" {
				if len(errs) > 0 {
					t.Errorf("unexpected errors: %v", errs)
				}
				return
			}
			if len(errs) != 1 || errs[0].Field != "spec.requestor" || errs[0].Detail != test.want {
				t.Errorf("got %v, want one error on spec.requestor: %s", errs, test.want)
			}
		})
	}
}

func TestPrepareForUpdate(t *testing.T) {
	tests := map[string]struct {
		change         func(*v1beta1.NodeMaintenance)
		wantChange     func(*v1beta1.NodeMaintenance)
		wantGeneration int64
	}{
		"nothing": {
			change:         func(*v1beta1.NodeMaintenance) {},
			wantGeneration: 3,
		},
		"status is dropped": {
			change:         func(nm *v1beta1.NodeMaintenance) { nm.Status = v1beta1.NodeMaintenanceStatus{} },
			wantGeneration: 3,
		},
		"requestor left out is kept": {
			change:         func(nm *v1beta1.NodeMaintenance) { nm.Spec.Requestor = "" },
			wantGeneration: 3,
		},
		"metadata does not count as a new spec": {
			change:         func(nm *v1beta1.NodeMaintenance) { nm.Labels = map[string]string{"a": "b"} },
			wantChange:     func(nm *v1beta1.NodeMaintenance) { nm.Labels = map[string]string{"a": "b"} },
			wantGeneration: 3,
		},
		"a new spec counts": {
			change:         func(nm *v1beta1.NodeMaintenance) { nm.Spec.Stage = v1beta1.StageCordon },
			wantChange:     func(nm *v1beta1.NodeMaintenance) { nm.Spec.Stage = v1beta1.StageCordon },
			wantGeneration: 4,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm, want := stored(), stored()
			test.change(nm)
			if test.wantChange != nil {
				test.wantChange(want)
			}
			want.Generation = test.wantGeneration

			ctx, _ := requestBy(alice)
			newRules(time.Now).Strategy(scheme.Scheme).PrepareForUpdate(ctx, nm, stored())
			if diff := cmp.Diff(want, nm); diff != "" {
				t.Errorf("object differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Whoever writes an object has never seen what a newer version stored in it.
func TestUnknownFieldsAreCarriedOver(t *testing.T) {
	strategies := map[string]rest.RESTUpdateStrategy{"object": newRules(time.Now).Strategy(scheme.Scheme), "status": newRules(time.Now).StatusStrategy(scheme.Scheme)}
	for name, strategy := range strategies {
		t.Run(name, func(t *testing.T) {
			written, old := stored(), stored()
			old.Unknown = `[{"fields":{"new":1}}]`
			ctx, _ := requestBy(alice)
			strategy.PrepareForUpdate(ctx, written, old)
			if written.Unknown != old.Unknown {
				t.Errorf("unknown fields are %q, want %q", written.Unknown, old.Unknown)
			}
			if written.Generation != old.Generation {
				t.Errorf("generation went from %d to %d, want no change", old.Generation, written.Generation)
			}
		})
	}
}

func TestFinalizerOnUpdate(t *testing.T) {
	const kept = `metadata.finalizers: maintenance.medik8s.io/uncordon is kept: ` +
		`the server removes it when node "worker-3" has been given back`
	both := []string{"example.com/own", v1beta1.UncordonFinalizer}
	tests := map[string]struct {
		requester      user.Info
		old            *v1beta1.NodeMaintenance
		finalizers     []string
		wantFinalizers []string
		wantWarning    bool
	}{
		"a user takes it off": {
			requester: alice, old: terminatingSince(stored()), finalizers: []string{"example.com/own"},
			wantFinalizers: both, wantWarning: true,
		},
		"an administrator takes all off": {
			requester: admin, old: terminatingSince(stored()), finalizers: nil,
			wantFinalizers: []string{v1beta1.UncordonFinalizer}, wantWarning: true,
		},
		"a user takes another one off": {
			requester: alice, old: terminatingSince(stored()), finalizers: []string{v1beta1.UncordonFinalizer},
			wantFinalizers: []string{v1beta1.UncordonFinalizer},
		},
		"the server takes it off": {
			requester: server, old: terminatingSince(stored()), finalizers: []string{"example.com/own"},
			wantFinalizers: []string{"example.com/own"},
		},
		"the server takes it off while nobody deletes": {
			requester: server, old: stored(), finalizers: []string{"example.com/own"},
			wantFinalizers: both, wantWarning: true,
		},
		"the server's name without its group": {
			requester: &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.AllAuthenticated}},
			old:       terminatingSince(stored()), finalizers: []string{"example.com/own"},
			wantFinalizers: both, wantWarning: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := test.old.DeepCopy()
			nm.Finalizers = test.finalizers
			ctx, got := requestBy(test.requester)
			newRules(time.Now).Strategy(scheme.Scheme).PrepareForUpdate(ctx, nm, test.old)

			if diff := cmp.Diff(test.wantFinalizers, nm.Finalizers); diff != "" {
				t.Errorf("finalizers differ (-want +got):\n%s", diff)
			}
			var wantWarnings []string
			if test.wantWarning {
				wantWarnings = []string{kept}
			}
			if diff := cmp.Diff(wantWarnings, got.warnings); diff != "" {
				t.Errorf("warnings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestValidateUpdate(t *testing.T) {
	nm := stored()
	nm.Spec.NodeName, nm.Spec.Requestor = "worker-4", "bob"
	ctx, _ := requestBy(alice)
	wantFields(t, newRules(time.Now).Strategy(scheme.Scheme).ValidateUpdate(ctx, nm, stored()), "spec.nodeName", "spec.requestor")
}

func TestWarnings(t *testing.T) {
	const emptySelector = "spec.drain.podSelector: an empty selector selects all pods"
	tests := map[string]struct {
		drain v1beta1.DrainSpec
		want  []string
	}{
		"nothing set": {},
		"an empty selector": {
			drain: v1beta1.DrainSpec{PodSelector: &metav1.LabelSelector{}},
			want:  []string{emptySelector},
		},
		"a selector": {
			drain: v1beta1.DrainSpec{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}},
		},
		"a timeout shorter than the grace period": {
			drain: v1beta1.DrainSpec{TimeoutSeconds: ptr.To[int64](30), GracePeriodSeconds: ptr.To[int64](60)},
			want: []string{"spec.drain.timeoutSeconds: 30 is less than gracePeriodSeconds (60): " +
				"pods may still be stopping at the deadline"},
		},
		"a timeout as long as the grace period": {
			drain: v1beta1.DrainSpec{TimeoutSeconds: ptr.To[int64](60), GracePeriodSeconds: ptr.To[int64](60)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rules, old, nm := newRules(time.Now).Strategy(scheme.Scheme), stored(), stored()
			nm.Spec.Drain = test.drain
			ctx, _ := requestBy(alice)
			if diff := cmp.Diff(test.want, rules.WarningsOnCreate(ctx, nm)); diff != "" {
				t.Errorf("warnings on create differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, rules.WarningsOnUpdate(ctx, nm, old)); diff != "" {
				t.Errorf("warnings on update differ (-want +got):\n%s", diff)
			}
			if again := rules.WarningsOnUpdate(ctx, nm, nm.DeepCopy()); again != nil {
				t.Errorf("warned of settings that were not touched: %v", again)
			}
		})
	}
}

func TestResetFields(t *testing.T) {
	reset := newRules(time.Now).Strategy(scheme.Scheme).GetResetFields()["maintenance.medik8s.io/v1beta1"].String()
	for _, want := range []string{".status", ".spec.requestor"} {
		if !strings.Contains(reset, want) {
			t.Errorf("%s is not among the reset fields %s", want, reset)
		}
	}
}

func wantFields(t *testing.T, errs field.ErrorList, want ...string) {
	t.Helper()
	var got []string
	for _, err := range errs {
		got = append(got, err.Field)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields with errors differ (-want +got):\n%s", diff)
	}
}

// A PUT of a manifest lacks the annotation of an imported hold.
func TestImportedAnnotationIsKept(t *testing.T) {
	old, updated := stored(), stored()
	old.Annotations = map[string]string{v1beta1.ImportedAnnotation: "x"}
	updated.Annotations = map[string]string{"a": "b"}
	ctx, _ := requestBy(alice)
	newRules(time.Now).Strategy(scheme.Scheme).PrepareForUpdate(ctx, updated, old)
	want := map[string]string{"a": "b", v1beta1.ImportedAnnotation: "x"}
	if diff := cmp.Diff(want, updated.Annotations); diff != "" {
		t.Errorf("annotations differ (-want +got):\n%s", diff)
	}
}
