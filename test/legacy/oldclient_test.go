// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A program that knows the old types only goes on working, and loses nothing of what it does not know.
func TestOldClient(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		hold := u.Hold("a", u.Nodes[0])
		seconds := int64(86400)
		hold.Spec.ExpirationSeconds, hold.Spec.Stage = &seconds, v1beta1.StageCordon
		hold.Spec.Drain.Rules = []v1beta1.DrainRule{{Action: v1beta1.ActionSkip}}
		u.Create(t, hold)
		u.WaitForHold(t, hold.Name, "node cordoned", func(nm *v1beta1.NodeMaintenance) bool {
			return nm.Status.Phase == v1beta1.PhaseSucceeded
		})
		nm := u.mustUpdate(t, hold.Name)
		if _, err := u.update(t.Context(), nm); !apierrors.IsConflict(err) {
			t.Errorf("an update of an old version: got error %v, want a conflict", err)
		}
		if _, err := u.patch(t.Context(), hold.Name, `{"metadata":{"annotations":{"ticket":"17"}}}`); err != nil {
			t.Error(err)
		}
		u.updateStatus(t, hold.Name)
		u.wantKept(t, hold)
	})
}

// mustUpdate changes the reason and the labels, and returns what it sent. The server may write the status at
// the same time, so it tries again after a conflict, as programs do.
func (u *user) mustUpdate(t *testing.T, name string) (sent *nodeMaintenance) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		if sent, err = u.get(t.Context(), name); err != nil {
			return err
		}
		sent.Spec.Reason, sent.Labels = "changed by an old client", map[string]string{"team": "storage"}
		updated, err := u.update(t.Context(), sent)
		if err == nil && (updated.Spec.Reason != sent.Spec.Reason || updated.ResourceVersion == sent.ResourceVersion) {
			t.Errorf("the answer shows no update: %+v", updated)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// updateStatus writes the status as it is, as a program does that owns it.
func (u *user) updateStatus(t *testing.T, name string) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		nm, err := u.get(t.Context(), name)
		if err != nil {
			return err
		}
		_, err = u.update(t.Context(), nm, "status")
		return err
	})
	if err != nil {
		t.Errorf("could not update the status: %v", err)
	}
}

// wantKept checks that what the old types lack is as it was created, and that what the client has
// changed is stored.
func (u *user) wantKept(t *testing.T, created *v1beta1.NodeMaintenance) {
	t.Helper()
	got, err := u.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), created.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec.Reason != "changed by an old client" || got.Labels["team"] != "storage" || got.Annotations["ticket"] != "17" {
		t.Errorf("the changes are not stored: %+v", got)
	}
	if got.Spec.Requestor != "admin" || got.Spec.Stage != v1beta1.StageCordon ||
		*got.Spec.ExpirationSeconds != *created.Spec.ExpirationSeconds || len(got.Spec.Drain.Rules) != 1 {
		t.Errorf("something of the spec got lost: %+v", got.Spec)
	}
	if len(got.Status.Conditions) == 0 || got.Status.NodeBefore == nil {
		t.Errorf("something of the status got lost: %+v", got.Status)
	}
}

// One object is seen in every group, with the same resourceVersion.
func TestOneObjectInAllGroups(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		name := u.apply(t, u.Nodes[0])
		u.waitFor(t, name, "node drained", succeeded)
		ours, err := u.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if ours.Spec.Requestor != "admin" || ours.Spec.Stage != v1beta1.StageDrain {
			t.Errorf("want our defaults for what the old group lacks: %+v", ours.Spec)
		}
		for _, g := range groups {
			nm, err := newClient(t, g, u.Cluster.Config()).get(t.Context(), name)
			if err != nil || nm.UID != ours.UID || nm.ResourceVersion != ours.ResourceVersion {
				t.Errorf("%s: error %v; got version %s of %s, want %s of %s", g.Group, err, nm.ResourceVersion, nm.UID, ours.ResourceVersion, ours.UID)
			}
		}
	})
}
