// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"cmp"
	"slices"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// Need is what a transition needs of the ledger.
type Need struct {
	// Maintenance says that it leads to InMaintenance.
	Maintenance bool
	// Pools are the checks of the kind stagger that were decisive.
	Pools []*v1beta1.StaggerCheck
}

// Any says whether it needs anything.
func (n Need) Any() bool { return n.Maintenance || len(n.Pools) > 0 }

// Covers says whether all that the other one needs is among this.
func (n Need) Covers(other Need) bool {
	return (n.Maintenance || !other.Maintenance) && !slices.ContainsFunc(other.Pools, func(wanted *v1beta1.StaggerCheck) bool {
		return !slices.ContainsFunc(n.Pools, func(has *v1beta1.StaggerCheck) bool { return apiequality.Semantic.DeepEqual(has, wanted) })
	})
}

// NeedOf is what a transition of the profile needs. What a person has pushed takes no places of pools.
func NeedOf(profile *v1beta1.MaintenanceProfile, result evaluation.TransitionResult, pushed bool) Need {
	need := Need{Maintenance: result.Next == v1beta1.ProfileInMaintenance}
	for i := range profile.Spec.Checks {
		check := &profile.Spec.Checks[i]
		if check.Stagger != nil && !pushed && slices.Contains(result.Decisive, check.Name) {
			need.Pools = append(need.Pools, check.Stagger)
		}
	}
	return need
}

// Grant is what was granted: the next attempt of a NodeProfile.
type Grant struct {
	Node     string
	NodeUID  types.UID
	Profile  string
	Sequence int64
	Attempt  int64
}

// GrantFor is the grant for the next attempt of a NodeProfile.
func GrantFor(nodeProfile *v1beta1.NodeProfile) Grant {
	return Grant{
		Node: nodeProfile.Spec.NodeName, NodeUID: nodeProfile.Status.NodeUID, Profile: nodeProfile.Spec.Profile,
		Sequence: nodeProfile.Status.Sequence, Attempt: nodeProfile.Status.Attempt + 1,
	}
}

// Take enters a grant into the ledger. It says no, and changes nothing, if another profile is in maintenance on the node,
// or the ledger is full. What an attempt has taken of pools before, and nobody has used, it takes instead, and not twice.
func Take(spec *v1beta1.MaintenanceLedgerSpec, grant Grant, need Need, now time.Time) bool {
	if need.Maintenance && (Entry(spec, grant.Node) != nil || len(spec.InMaintenance) >= v1beta1.MaxInMaintenance) {
		return false
	}
	at := metav1.NewMicroTime(now.Truncate(time.Microsecond))
	if need.Maintenance {
		add(spec, v1beta1.LedgerProfile{
			Node: grant.Node, NodeUID: grant.NodeUID, Profile: grant.Profile,
			Sequence: grant.Sequence, Attempt: grant.Attempt, Since: at,
		})
	}
	GiveBack(spec, grant)
	for _, check := range need.Pools {
		pool := poolOf(spec, check.Pool)
		pool.Grants = slices.DeleteFunc(pool.Grants, func(g v1beta1.LedgerGrant) bool { return IsOver(g, now) })
		pool.Grants = append(pool.Grants, v1beta1.LedgerGrant{
			Node: grant.Node, Profile: grant.Profile, Sequence: grant.Sequence, Attempt: grant.Attempt, Time: at, Seconds: check.Seconds,
		})
	}
	return true
}

// Adopt enters a NodeProfile that is in maintenance, or about to be, although the ledger lacks it: rather too many count
// than too few. It says whether that was so. If another profile is in maintenance on the node, it stays so.
func Adopt(spec *v1beta1.MaintenanceLedgerSpec, nodeProfile *v1beta1.NodeProfile, now time.Time) bool {
	if !InMaintenance(nodeProfile) || Entry(spec, nodeProfile.Spec.NodeName) != nil {
		return false
	}
	status := &nodeProfile.Status
	entry := v1beta1.LedgerProfile{
		Node: nodeProfile.Spec.NodeName, NodeUID: status.NodeUID, Profile: nodeProfile.Spec.Profile,
		Sequence: status.Sequence, Attempt: status.Attempt, Since: metav1.NewMicroTime(now.Truncate(time.Microsecond)),
	}
	if status.State == v1beta1.ProfileInMaintenance {
		entry.Sequence, entry.Since = max(status.Sequence-1, 0), metav1.NewMicroTime(ptr.Deref(status.Since, metav1.NewTime(now)).Time)
	}
	add(spec, entry)
	return true
}

func add(spec *v1beta1.MaintenanceLedgerSpec, entry v1beta1.LedgerProfile) {
	at, _ := slices.BinarySearchFunc(spec.InMaintenance, entry.Node, byNode)
	spec.InMaintenance = slices.Insert(spec.InMaintenance, at, entry)
}

func byNode(e v1beta1.LedgerProfile, node string) int { return cmp.Compare(e.Node, node) }

// Entry is the entry of a node; nil if it has none.
func Entry(spec *v1beta1.MaintenanceLedgerSpec, node string) *v1beta1.LedgerProfile {
	for i := range spec.InMaintenance {
		if spec.InMaintenance[i].Node == node {
			return &spec.InMaintenance[i]
		}
	}
	return nil
}

func poolOf(spec *v1beta1.MaintenanceLedgerSpec, name string) *v1beta1.LedgerPool {
	for i := range spec.Pools {
		if spec.Pools[i].Name == name {
			return &spec.Pools[i]
		}
	}
	spec.Pools = append(spec.Pools, v1beta1.LedgerPool{Name: name})
	slices.SortFunc(spec.Pools, func(a, b v1beta1.LedgerPool) int { return cmp.Compare(a.Name, b.Name) })
	return poolOf(spec, name)
}

// IsOver says whether the time of a place is over.
func IsOver(grant v1beta1.LedgerGrant, now time.Time) bool {
	return !now.Before(grant.Time.Add(time.Duration(grant.Seconds) * time.Second))
}
