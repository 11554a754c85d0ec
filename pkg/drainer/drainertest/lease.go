// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"cmp"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// LeaseNamespace is the namespace of leases that name none.
const LeaseNamespace = "medik8s-leases"

// Lease builds the lease of a node that somebody has.
type Lease struct {
	// Name is node-worker-1 by default, Namespace is LeaseNamespace.
	Name, Namespace string
	// Holder is who has it, since Renewed and for Lasts. Required.
	Holder  string
	Renewed time.Time
	Lasts   time.Duration
}

// Object is the lease.
func (l Lease) Object() *coordinationv1.Lease {
	name := cmp.Or(l.Name, "node-"+NodeName)
	renewed := metav1.NewMicroTime(l.Renewed)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: cmp.Or(l.Namespace, LeaseNamespace), UID: UID(name)},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &l.Holder, LeaseDurationSeconds: ptr.To(int32(l.Lasts.Seconds())),
			AcquireTime: &renewed, RenewTime: &renewed, LeaseTransitions: ptr.To[int32](0),
		},
	}
}
