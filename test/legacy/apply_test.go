// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The same tool may apply an object through an old group and through ours, in any order: each apply sets
// what its manifest says, and what an old manifest cannot say stays.
func TestApplyThroughBothGroups(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		apply := func(manifest string) {
			t.Helper()
			u.Kubectl().Must(t, manifest, "apply", "--server-side", "-f", "-")
		}
		name := u.Name + "-applied"
		old := u.manifest(name, u.Nodes[0], "first")
		ours := "apiVersion: maintenance.medik8s.io/v1beta1\nkind: NodeMaintenance\nmetadata: {name: " + name + "}\n" +
			"spec: {nodeName: " + u.Nodes[0] + ", reason: second, stage: Cordon, drain: {timeoutSeconds: 600}}\n"
		apply(old)
		t.Cleanup(func() { u.forget(t, name) })
		for range 2 {
			apply(ours)
			u.wantSpec(t, name, "second")
		}
		apply(u.manifest(name, u.Nodes[0], "third"))
		u.wantSpec(t, name, "third")
	})
}

func (u *user) wantSpec(t *testing.T, name, reason string) {
	t.Helper()
	hold, err := env.Current(t).Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if timeout := hold.Spec.Drain.TimeoutSeconds; hold.Spec.Reason != reason || hold.Spec.Stage != "Cordon" || timeout == nil || *timeout != 600 {
		t.Errorf("got %+v, want reason %q, stage Cordon and a timeout of 600 seconds", hold.Spec, reason)
	}
}
