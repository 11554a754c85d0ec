// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"math"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// holder is who we are in a lease, as the operators that we replace. All our processes are this one.
	holder = "node-maintenance"
	// lasts is how long a lease is valid after it was renewed.
	lasts = time.Hour
	// clockSkew is how far the clock of another holder may be ahead of ours, or behind it.
	clockSkew = 30 * time.Second
	// margin is how long before its end a lease of ours that could not be renewed counts as lost: enough
	// that nothing of ours is under way any more when somebody else takes it.
	margin = time.Minute
)

// standing is whose a lease is at a moment.
type standing int

const (
	// free leases may be taken: nobody has them, or had them until their end.
	free standing = iota
	// ours are valid for a while, and so need no request.
	ours
	// foreign leases are valid, and somebody else has them.
	foreign
)

// judge says whose the lease is. A lease of ours that ends soon is free, like one that does not exist.
func judge(lease *coordinationv1.Lease, now time.Time) standing {
	switch {
	case lease == nil || !valid(lease, now):
		return free
	case !isOurs(lease):
		return foreign
	case ends(lease).Sub(now) > margin:
		return ours
	default:
		return free
	}
}

// isOurs says whether the lease names us as its holder, valid or not.
func isOurs(lease *coordinationv1.Lease) bool {
	return ptr.Deref(lease.Spec.HolderIdentity, "") == holder
}

// valid says whether the lease binds others than its holder.
func valid(lease *coordinationv1.Lease, now time.Time) bool {
	return ptr.Deref(lease.Spec.HolderIdentity, "") != "" && timed(lease) && !freeAt(lease).Before(now) && !lease.Spec.RenewTime.After(now.Add(clockSkew))
}

// timed says whether the lease has what its end follows from.
func timed(lease *coordinationv1.Lease) bool {
	return lease.Spec.RenewTime != nil && lease.Spec.LeaseDurationSeconds != nil
}

// ends is the time when a lease that is timed ends.
func ends(lease *coordinationv1.Lease) time.Time {
	return lease.Spec.RenewTime.Add(length(lease))
}

// freeAt is after when a lease that is timed may be taken. The clock of another holder may show its end later.
func freeAt(lease *coordinationv1.Lease) time.Time {
	if isOurs(lease) {
		return ends(lease)
	}
	return ends(lease).Add(clockSkew)
}

func length(lease *coordinationv1.Lease) time.Duration {
	return time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
}

// due says whether a lease of ours is to be renewed: a third of its time is over; or the renewal lies in the
// future, which others do not believe; or it belongs to an older node of that name, and would be removed with that.
func due(lease *coordinationv1.Lease, owner metav1.OwnerReference, now time.Time) bool {
	return !timed(lease) || lease.Spec.RenewTime.After(now) ||
		!lease.Spec.RenewTime.Add(length(lease)/3).After(now) || !ownedBy(lease, owner)
}

func ownedBy(lease *coordinationv1.Lease, owner metav1.OwnerReference) bool {
	return len(lease.OwnerReferences) == 1 && lease.OwnerReferences[0].UID == owner.UID
}

// taken is the lease once we have it, from now on. It counts as acquired anew if somebody else had it, or if it
// does not say since when we have it.
func taken(lease *coordinationv1.Lease, owner metav1.OwnerReference, now time.Time) *coordinationv1.Lease {
	next := lease.DeepCopy()
	at := metav1.NewMicroTime(now)
	forgotten := !timed(lease) || (lease.Spec.AcquireTime == nil && ends(lease).Before(now))
	if !isOurs(lease) || forgotten {
		next.Spec.AcquireTime = &at
		next.Spec.LeaseTransitions = ptr.To(min(ptr.Deref(lease.Spec.LeaseTransitions, 0), math.MaxInt32-1) + 1)
	}
	next.OwnerReferences = []metav1.OwnerReference{owner}
	next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds = ptr.To(holder), ptr.To(int32(lasts.Seconds()))
	next.Spec.RenewTime = &at
	return next
}

// made is a new lease that we have from now on.
func made(name string, owner metav1.OwnerReference, now time.Time) *coordinationv1.Lease {
	at := metav1.NewMicroTime(now)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{owner}},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: ptr.To(holder), LeaseDurationSeconds: ptr.To(int32(lasts.Seconds())),
			AcquireTime: &at, RenewTime: &at, LeaseTransitions: ptr.To[int32](0),
		},
	}
}

// dropped is a lease that nobody has. How often it went from one holder to another stays.
func dropped(lease *coordinationv1.Lease) *coordinationv1.Lease {
	next := lease.DeepCopy()
	next.Spec = coordinationv1.LeaseSpec{LeaseTransitions: lease.Spec.LeaseTransitions}
	return next
}
