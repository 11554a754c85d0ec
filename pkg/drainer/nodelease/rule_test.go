// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

var (
	now        = drainertest.Epoch
	ownNode    = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: drainertest.NodeName, UID: "uid-worker-1"}
	olderNode  = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: drainertest.NodeName, UID: "uid-older"}
	longExpiry = -2 * lasts
)

// spec builds what a lease says. Times are relative to now; 0 leaves them out, and so it is with the others.
type spec struct {
	holder            string
	lasts             time.Duration
	acquired, renewed *time.Duration
	transitions       *int32
	owner             metav1.OwnerReference
}

func (s spec) lease() *coordinationv1.Lease {
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "node-worker-1"},
		Spec: coordinationv1.LeaseSpec{
			AcquireTime: relative(s.acquired), RenewTime: relative(s.renewed), LeaseTransitions: s.transitions,
		},
	}
	if s.owner.UID != "" {
		lease.OwnerReferences = []metav1.OwnerReference{s.owner}
	}
	if s.holder != "" {
		lease.Spec.HolderIdentity = &s.holder
	}
	if s.lasts != 0 {
		lease.Spec.LeaseDurationSeconds = ptr.To(int32(s.lasts.Seconds()))
	}
	return lease
}

func relative(d *time.Duration) *metav1.MicroTime {
	if d == nil {
		return nil
	}
	return ptr.To(metav1.NewMicroTime(now.Add(*d)))
}

// had is a lease that we have since acquired and renewed last at renewed.
func had(acquired, renewed *time.Duration, transitions *int32) spec {
	return spec{holder: holder, lasts: lasts, acquired: acquired, renewed: renewed, transitions: transitions, owner: ownNode}
}

// The rows are those of the operators' own tests of their leases, and some about clocks.
func TestLeaseIsTakenRenewedOrLeftAlone(t *testing.T) {
	const healthCheck = "node-healthcheck"
	none, just, before := ptr.To(time.Duration(0)), ptr.To(-time.Second), ptr.To(-time.Minute)
	long, expired := &longExpiry, ptr.To(-lasts-time.Second)
	tests := map[string]struct {
		lease spec
		want  standing
		// wantDue says whether the timer renews the lease; only for one that is ours.
		wantDue bool
		// wantTaken is the lease once we took or renewed it; nil: it must not be.
		wantTaken *spec
	}{
		"another's, valid": {
			lease: spec{holder: healthCheck, lasts: 32000 * time.Second, renewed: just, owner: olderNode}, want: foreign,
		},
		"another's, expired": {
			lease: spec{holder: healthCheck, lasts: 44 * time.Second, acquired: long, renewed: long, owner: olderNode},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"another's, expired, with transitions": {
			lease: spec{holder: healthCheck, lasts: 44 * time.Second, acquired: long, renewed: long, transitions: ptr.To[int32](3)},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](4))),
		},
		"another's, expired, with as many transitions as can be counted": {
			lease: spec{holder: healthCheck, lasts: 44 * time.Second, acquired: long, renewed: long, transitions: ptr.To[int32](math.MaxInt32)},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](math.MaxInt32))),
		},
		"another's, of a duration below zero": {
			lease: spec{holder: healthCheck, lasts: -lasts, renewed: just},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"another's, of the longest duration": {
			lease: spec{holder: healthCheck, lasts: math.MaxInt32 * time.Second, renewed: just}, want: foreign,
		},
		"another's, without a duration": {
			lease: spec{holder: healthCheck, acquired: just, renewed: just},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"another's, without a time of its renewal": {
			lease: spec{holder: healthCheck, lasts: lasts, acquired: just},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"another's, without a time of its acquisition": {
			lease: spec{holder: healthCheck, lasts: lasts, renewed: just}, want: foreign,
		},
		"another's, ends just now": {lease: spec{holder: healthCheck, lasts: lasts, renewed: ptr.To(-lasts)}, want: foreign},
		"another's, ended, but not by its clock that is behind by seconds": {
			lease: spec{holder: healthCheck, lasts: lasts, renewed: ptr.To(-lasts - clockSkew)}, want: foreign,
		},
		"another's, ended by any clock": {
			lease: spec{holder: healthCheck, lasts: lasts, renewed: ptr.To(-lasts - clockSkew - time.Millisecond)},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"another's, whose clock is ahead by seconds": {
			lease: spec{holder: healthCheck, lasts: lasts, renewed: ptr.To(clockSkew)}, want: foreign,
		},
		"another's, renewed in the future": {
			lease: spec{holder: healthCheck, lasts: lasts, renewed: ptr.To(clockSkew + time.Second), transitions: ptr.To[int32](1)},
			want:  free, wantTaken: ptr.To(had(none, none, ptr.To[int32](2))),
		},
		"nobody's, and dropped": {
			lease: spec{transitions: ptr.To[int32](2)}, want: free, wantTaken: ptr.To(had(none, none, ptr.To[int32](3))),
		},
		"nobody's, with times": {
			lease: spec{lasts: lasts, renewed: just}, want: free, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"ours, without duration and renewal": {
			lease: spec{holder: holder, acquired: ptr.To(-599 * time.Second), transitions: ptr.To[int32](3), owner: olderNode},
			want:  free, wantDue: true, wantTaken: ptr.To(had(none, none, ptr.To[int32](4))),
		},
		"ours, expired, of another duration": {
			lease: spec{holder: holder, lasts: lasts - 42*time.Second, renewed: expired, owner: olderNode},
			want:  free, wantDue: true, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"ours, expired": {
			lease: had(expired, expired, ptr.To[int32](1)), want: free, wantDue: true, wantTaken: ptr.To(had(expired, none, ptr.To[int32](1))),
		},
		"ours, expired, never acquired": {
			lease: had(nil, expired, nil), want: free, wantDue: true, wantTaken: ptr.To(had(none, none, ptr.To[int32](1))),
		},
		"ours, ends within the margin": {
			lease: had(nil, ptr.To(margin-lasts), nil), want: free, wantDue: true, wantTaken: ptr.To(had(nil, none, nil)),
		},
		"ours, due": {
			lease: had(before, ptr.To(-lasts/3), ptr.To[int32](1)), want: ours, wantDue: true, wantTaken: ptr.To(had(before, none, ptr.To[int32](1))),
		},
		"ours, not due": {lease: had(before, ptr.To(-lasts/3+time.Second), nil), want: ours},
		"ours, of an older node of that name": {
			lease: spec{holder: holder, lasts: lasts, acquired: before, renewed: before, owner: olderNode},
			want:  ours, wantDue: true, wantTaken: ptr.To(had(before, none, nil)),
		},
		"ours, our clock was ahead by seconds": {
			lease: had(before, ptr.To(time.Second), nil), want: ours, wantDue: true, wantTaken: ptr.To(had(before, none, nil)),
		},
		"ours, our clock was far ahead": {
			lease: had(before, ptr.To(time.Hour), nil), want: free, wantDue: true, wantTaken: ptr.To(had(before, none, nil)),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lease := test.lease.lease()
			if got := judge(lease, now); got != test.want {
				t.Errorf("it stands as %d, want %d", got, test.want)
			}
			if got := due(lease, ownNode, now); isOurs(lease) && got != test.wantDue {
				t.Errorf("due: %t, want %t", got, test.wantDue)
			}
			if test.wantTaken == nil {
				return
			}
			if diff := cmp.Diff(test.wantTaken.lease(), taken(lease, ownNode, now)); diff != "" {
				t.Errorf("the lease once taken (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.lease.lease(), lease); diff != "" {
				t.Errorf("the lease that was judged was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestLeaseThatDoesNotExistIsFree(t *testing.T) {
	if got := judge(nil, now); got != free {
		t.Errorf("it stands as %d, want %d", got, free)
	}
	zero := ptr.To(time.Duration(0))
	want := had(zero, zero, ptr.To[int32](0)).lease()
	if diff := cmp.Diff(want, made("node-worker-1", ownNode, now)); diff != "" {
		t.Errorf("the new lease (-want +got):\n%s", diff)
	}
}

func TestFormsName(t *testing.T) {
	tests := map[string]struct {
		form                     Form
		wantLease, wantNamespace string
		others                   []string
	}{
		"medik8s":  {form: Medik8s, wantLease: "node-worker-1", wantNamespace: "medik8s-leases", others: []string{"worker-1", "node-", ""}},
		"KubeVirt": {form: KubeVirt, wantLease: "worker-1", wantNamespace: "node-maintenance", others: []string{""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.form.leaseOf("worker-1"); got != test.wantLease {
				t.Errorf("the lease is %s, want %s", got, test.wantLease)
			}
			if got, known := test.form.nodeOf(test.wantLease); got != "worker-1" || !known {
				t.Errorf("the node of the lease is %q (%t), want worker-1", got, known)
			}
			if got := test.form.DefaultNamespace(); got != test.wantNamespace {
				t.Errorf("the namespace is %s, want %s", got, test.wantNamespace)
			}
			for _, other := range test.others {
				if node, known := test.form.nodeOf(other); known {
					t.Errorf("lease %q is taken for that of node %q", other, node)
				}
			}
		})
	}
}

// A lease that names nobody is as one without a holder: client-go's leader election gives leases back so.
func TestLeaseOfNobodyIsFree(t *testing.T) {
	lease := had(ptr.To(-time.Minute), ptr.To(-time.Second), nil).lease()
	lease.Spec.HolderIdentity = ptr.To("")
	if got := judge(lease, now); got != free {
		t.Errorf("got %d, want a free lease", got)
	}
}
