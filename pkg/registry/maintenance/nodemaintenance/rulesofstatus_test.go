// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// An update of the status carries a whole object. Only its status is taken, even
// where the server itself writes.
func TestStatusPrepareForUpdate(t *testing.T) {
	managedFields := []metav1.ManagedFieldsEntry{{Manager: "drainer", Subresource: "status"}}
	nm := stored()
	nm.ManagedFields = managedFields
	nm.Labels = map[string]string{"changed": "true"}
	nm.Annotations = map[string]string{"changed": "true"}
	nm.GenerateName = "changed-"
	nm.Generation = 9
	nm.Finalizers = nil
	nm.OwnerReferences = []metav1.OwnerReference{{Name: "changed"}}
	nm.DeletionTimestamp = ptr.To(metav1.Now())
	nm.DeletionGracePeriodSeconds = ptr.To[int64](30)
	nm.Spec = v1beta1.NodeMaintenanceSpec{NodeName: "changed", Requestor: "changed"}
	nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseSucceeded, DrainProgress: ptr.To[int32](100)}

	ctx, _ := requestBy(server)
	newRules(time.Now).StatusStrategy(scheme.Scheme).PrepareForUpdate(ctx, nm, stored())

	want := stored()
	want.ManagedFields = managedFields
	want.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseSucceeded, DrainProgress: ptr.To[int32](100)}
	if diff := cmp.Diff(want, nm); diff != "" {
		t.Errorf("object differs (-want +got):\n%s", diff)
	}
}

// Nobody decides in the name of others: what people have decided is not changed with the rest of the status.
func TestStatusKeepsApprovals(t *testing.T) {
	decided := []v1beta1.MaintenanceDecision{{Policy: "workers", Decision: v1beta1.DecisionApproved, By: "bob"}}
	forged := []v1beta1.MaintenanceDecision{{Policy: "workers", Decision: v1beta1.DecisionApproved, By: "carol"}}
	tests := map[string]struct {
		old, written, want *v1beta1.MaintenanceAdmission
	}{
		"forged at first": {
			written: &v1beta1.MaintenanceAdmission{Approvals: forged},
			want:    &v1beta1.MaintenanceAdmission{},
		},
		"forged later": {
			old:     &v1beta1.MaintenanceAdmission{Approvals: decided},
			written: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle, Approvals: forged},
			want:    &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle, Approvals: decided},
		},
		"left out": {
			old:     &v1beta1.MaintenanceAdmission{Approvals: decided},
			written: &v1beta1.MaintenanceAdmission{},
			want:    &v1beta1.MaintenanceAdmission{Approvals: decided},
		},
		"no policy any more": {
			old:  &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle, Approvals: decided},
			want: &v1beta1.MaintenanceAdmission{Approvals: decided},
		},
		"nothing decided": {old: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old, written := stored(), stored()
			old.Status.Admission, written.Status.Admission = test.old, test.written
			ctx, _ := requestBy(server)
			newRules(time.Now).StatusStrategy(scheme.Scheme).PrepareForUpdate(ctx, written, old)
			if diff := cmp.Diff(test.want, written.Status.Admission); diff != "" {
				t.Errorf("admission differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Nobody but the server says that maintenance may start, or has started: policies go by it.
func TestOnlyTheServerSaysWhatHasStarted(t *testing.T) {
	of := func(nodeUID types.UID, stage v1beta1.MaintenanceStage) v1beta1.NodeMaintenanceStatus {
		return v1beta1.NodeMaintenanceStatus{
			Phase: v1beta1.PhaseRunning, NodeUID: nodeUID, NodeBefore: &v1beta1.NodeBefore{Unschedulable: nodeUID == "forged"},
			Admission: &v1beta1.MaintenanceAdmission{Stage: stage},
		}
	}
	waits, forged := of("stored", v1beta1.StageIdle), of("forged", v1beta1.StageDrain)
	none := v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseRunning}
	tests := map[string]struct {
		by                 user.Info
		old, written, want v1beta1.NodeMaintenanceStatus
	}{
		"set by an admin":      {by: admin, old: none, written: forged, want: none},
		"changed by an admin":  {by: admin, old: waits, written: forged, want: waits},
		"left out by an admin": {by: admin, old: waits, written: none, want: waits},
		"set by the server":    {by: server, old: none, written: forged, want: forged},
		"left out by it":       {by: server, old: forged, written: none, want: none},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old, written := stored(), stored()
			old.Status, written.Status = test.old, test.written
			ctx, _ := requestBy(test.by)
			newRules(time.Now).StatusStrategy(scheme.Scheme).PrepareForUpdate(ctx, written, old)
			if diff := cmp.Diff(test.want, written.Status); diff != "" {
				t.Errorf("status differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusValidateUpdate(t *testing.T) {
	nm := stored()
	nm.Status.DrainProgress = ptr.To[int32](101)
	ctx, _ := requestBy(admin)
	wantFields(t, newRules(time.Now).StatusStrategy(scheme.Scheme).ValidateUpdate(ctx, nm, stored()), "status.drainProgress")
}

func TestStatusResetFields(t *testing.T) {
	reset := newRules(time.Now).StatusStrategy(scheme.Scheme).GetResetFields()["maintenance.medik8s.io/v1beta1"].String()
	if want := ".metadata\n.spec"; reset != want {
		t.Errorf("got reset fields %q, want %q", reset, want)
	}
}
