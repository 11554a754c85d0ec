// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// pools returns the places of staggers of the profile that the controller has given to nodes. It has one Lease for each
// place: <name>-<number>, where the pool is <namespace>/<name>. Whether the time of a place is over is not asked here.
func pools(leases []*coordinationv1.Lease, profile *v1beta1.MaintenanceProfile) []v1beta1.LedgerPool {
	var found []v1beta1.LedgerPool
	for i := range profile.Spec.Checks {
		check := profile.Spec.Checks[i].Stagger
		if check == nil || slices.ContainsFunc(found, func(p v1beta1.LedgerPool) bool { return p.Name == check.Pool }) {
			continue
		}
		if grants := grantsOf(leases, check, profile.Name); len(grants) > 0 {
			found = append(found, v1beta1.LedgerPool{Name: check.Pool, Grants: grants})
		}
	}
	return found
}

func grantsOf(leases []*coordinationv1.Lease, check *v1beta1.StaggerCheck, profile string) []v1beta1.LedgerGrant {
	parallel := v1beta1.DefaultStaggerParallel
	if check.Parallel != nil {
		parallel = *check.Parallel
	}
	var grants []v1beta1.LedgerGrant
	for place := range parallel {
		name := fmt.Sprintf("%s-%d", check.Pool, place)
		i := slices.IndexFunc(leases, func(l *coordinationv1.Lease) bool { return l.Namespace+"/"+l.Name == name })
		if i < 0 {
			continue
		}
		if grant, ok := grantOf(leases[i], profile); ok {
			grants = append(grants, grant)
		}
	}
	slices.SortFunc(grants, func(a, b v1beta1.LedgerGrant) int { return a.Time.Compare(b.Time.Time) })
	return grants
}

// grantOf returns the place that a Lease stands for; no if nobody has taken it. The controller creates Leases that
// nobody has taken, with a time long ago.
func grantOf(lease *coordinationv1.Lease, profile string) (v1beta1.LedgerGrant, bool) {
	spec := lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" || spec.RenewTime == nil || spec.LeaseDurationSeconds == nil || spec.AcquireTime == nil {
		return v1beta1.LedgerGrant{}, false
	}
	return v1beta1.LedgerGrant{
		Node: *spec.HolderIdentity, Profile: profile, Time: metav1.NewMicroTime(spec.RenewTime.Time), Seconds: int64(*spec.LeaseDurationSeconds),
	}, true
}
