// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

const leaseNamespace = "medik8s-leases"

// A node in maintenance has the lease that other operators look at, and no longer.
func TestLease(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		lease, err := u.Kube.CoordinationV1().Leases(leaseNamespace).Get(t.Context(), "node-"+node, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if *lease.Spec.HolderIdentity != "node-maintenance" || *lease.Spec.LeaseDurationSeconds != 3600 ||
			len(lease.OwnerReferences) != 1 || lease.OwnerReferences[0].UID != u.Node(t, node).UID {
			t.Errorf("want an hour of node-maintenance, and the node as owner: %+v, %+v", lease.Spec, lease.OwnerReferences)
		}
		u.Kubectl().Must(t, "", "delete", u.resource(), name)
		if _, err := u.Kube.CoordinationV1().Leases(leaseNamespace).Get(t.Context(), "node-"+node, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("got error %v, want the lease to be gone", err)
		}
	})
}

// A node that another operator works on is not touched, before and after. The operator gave it back
// although it had never taken it.
func TestLeaseOfAnother(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		u.takeLease(t, node)
		name := u.apply(t, node)
		waiting := u.waitFor(t, name, "waits for the lease", func(nm *nodeMaintenance) bool {
			return nm.Status.Phase == "Running" && strings.HasPrefix(nm.Status.LastError, "failed to obtain a lease that is not owned by us")
		})
		if waiting.Status.ErrorOnLeaseCount != 0 {
			t.Errorf("got %d errors, want none counted for a lease that was never ours", waiting.Status.ErrorOnLeaseCount)
		}
		env.Always(t, time.Second, "node is not touched", func(context.Context) string {
			if got := marksOn(u.Node(t, node)); len(got) > 0 {
				return fmt.Sprintf("it has %q", got)
			}
			return ""
		})
		u.dropLease(t, node)
		u.waitFor(t, name, "node drained", succeeded)
	})
}

// A lease that is lost during maintenance fails it, and the node stays as it is. When the lease is free, the
// maintenance goes on. The operator uncordoned the node, and was Failed for good.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		u.takeLease(t, node)
		lost := u.waitFor(t, name, "lease lost for good", func(nm *nodeMaintenance) bool {
			return nm.Status.LastError == "maintenance failed: lease could not be extended after 4 attempts"
		})
		if want := u.withoutLease; lost.Status.Phase != want || u.has("errorOnLeaseCount") && lost.Status.ErrorOnLeaseCount != 4 {
			t.Errorf("got phase %s and %d errors, want %s and 4", lost.Status.Phase, lost.Status.ErrorOnLeaseCount, want)
		}
		u.waitForMarks(t, node, marks...)
		u.dropLease(t, node)
		again := u.waitFor(t, name, "goes on", succeeded)
		if again.Status.ErrorOnLeaseCount != 0 || again.Status.LastError != "" {
			t.Errorf("the status still tells of the loss: %+v", again.Status)
		}
	})
}

// takeLease gives the lease of a node to another operator, also if our server has it.
func (u *user) takeLease(t *testing.T, node string) {
	t.Helper()
	leases := u.Kube.CoordinationV1().Leases(leaseNamespace)
	lease, err := leases.Get(t.Context(), "node-"+node, metav1.GetOptions{})
	spec := coordinationv1.LeaseSpec{
		HolderIdentity: ptr.To("node-healthcheck"), LeaseDurationSeconds: ptr.To[int32](3600), RenewTime: ptr.To(metav1.NowMicro()),
	}
	if apierrors.IsNotFound(err) {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "node-" + node}, Spec: spec}
		_, err = leases.Create(t.Context(), lease, metav1.CreateOptions{})
	} else if err == nil {
		lease.Spec = spec
		_, err = leases.Update(t.Context(), lease, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (u *user) dropLease(t *testing.T, node string) {
	t.Helper()
	err := u.Kube.CoordinationV1().Leases(leaseNamespace).Delete(t.Context(), "node-"+node, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
