// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"fmt"
	"maps"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

const (
	// budgetSteady is how long a budget must look impossible to meet before a blocker calls it
	// permanent: the number of expected pods goes up and down while pods come and go.
	budgetSteady = 10 * time.Second
	// maxDisruptedPods is the largest number of pods in a budget's status.disruptedPods with which the
	// API server still allows evictions.
	maxDisruptedPods = 2000
)

// Budget is the part of a PodDisruptionBudget that a drain needs. It is immutable: a new state of the
// budget is a new Budget.
type Budget struct {
	// Name is the namespace and name of the PodDisruptionBudget.
	Name types.NamespacedName
	// Current says that the status was worked out from the present spec.
	Current bool
	// Allowed is how many disruptions the status allows.
	Allowed int32
	// Desired, Healthy and Expected come from the status: how many healthy pods the budget requires,
	// how many it has, and how many pods it counts in all.
	Desired, Healthy, Expected int32
	// Relative says that the budget requires all but some of its pods, or a share of them: more replicas do
	// not help.
	Relative bool
	// Controller is the object that the budget was made for; nil: a person made it.
	Controller *metav1.OwnerReference
	// SyncFailed says why the disruption controller cannot evaluate the budget; empty when it can.
	SyncFailed string

	resourceVersion string
	// refreshed says that this state was read past the watch.
	refreshed   bool
	selector    labels.Selector
	alwaysAllow bool
	// disrupted is status.disruptedPods: the pods whose evictions the status counts already, with their
	// times.
	disrupted map[string]metav1.Time
	// impossibleSince is the time since which the budget has been impossible to meet; zero when it is not.
	// Waiting does not help then.
	impossibleSince time.Time
}

func newBudget(pdb *policyv1.PodDisruptionBudget) *Budget {
	selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // as the API server does
	}
	b := &Budget{
		Name:            types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name},
		Current:         pdb.Status.ObservedGeneration >= pdb.Generation,
		Allowed:         pdb.Status.DisruptionsAllowed,
		Desired:         pdb.Status.DesiredHealthy,
		Healthy:         pdb.Status.CurrentHealthy,
		Expected:        pdb.Status.ExpectedPods,
		Controller:      metav1.GetControllerOf(pdb),
		SyncFailed:      syncFailure(pdb),
		resourceVersion: pdb.ResourceVersion,
		selector:        selector,
		disrupted:       maps.Clone(pdb.Status.DisruptedPods),
	}
	least := pdb.Spec.MinAvailable
	b.Relative = pdb.Spec.MaxUnavailable != nil || (least != nil && least.Type == intstr.String)
	if policy := pdb.Spec.UnhealthyPodEvictionPolicy; policy != nil {
		b.alwaysAllow = *policy == policyv1.AlwaysAllow
	}
	return b
}

// syncFailure says why the disruption controller cannot evaluate the budget; empty when it can.
func syncFailure(pdb *policyv1.PodDisruptionBudget) string {
	condition := apimeta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	switch {
	case condition == nil || condition.Status != metav1.ConditionFalse || condition.Reason != policyv1.SyncFailedReason:
		return ""
	case condition.Message == "":
		return "no message"
	default:
		return condition.Message
	}
}

// Object is the budget's name as blockers show it: PodDisruptionBudget/namespace/name.
func (b *Budget) Object() string { return fmt.Sprintf("PodDisruptionBudget/%s", b.Name) }

// Permanent says whether the budget has been impossible to meet for budgetSteady. If only time is
// missing for that, recheck is when to ask again; else recheck is zero.
func (b *Budget) Permanent(now time.Time) (yes bool, recheck time.Time) {
	if b.impossibleSince.IsZero() {
		return false, time.Time{}
	}
	if certain := b.impossibleSince.Add(budgetSteady); now.Before(certain) {
		return false, certain
	}
	return true, time.Time{}
}

// olderThan says whether this is an earlier state of the budget than the other. It says no when the two
// cannot be compared.
func (b *Budget) olderThan(other *Budget) bool {
	if other == nil {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(b.resourceVersion, other.resourceVersion)
	return err == nil && order < 0
}

// Impossible says whether the budget, as it is now, can never let a healthy pod go. That may be so for a
// moment only, while pods come and go: see Permanent.
func (b *Budget) Impossible() bool {
	return b.SyncFailed != "" || (b.Current && b.Allowed == 0 && b.Desired >= b.Expected)
}

// room is how many pods the budget's status lets go.
func (b *Budget) room() int {
	if !b.Current || b.SyncFailed != "" || len(b.disrupted) > maxDisruptedPods {
		return 0
	}
	return int(max(b.Allowed, 0))
}

// saysTheSame says whether plans come out the same with both states of the budget.
func (b *Budget) saysTheSame(other *Budget) bool {
	return other != nil && b.Current == other.Current && b.Allowed == other.Allowed && b.Desired == other.Desired &&
		b.Healthy == other.Healthy && b.Expected == other.Expected && b.SyncFailed == other.SyncFailed &&
		b.alwaysAllow == other.alwaysAllow && b.impossibleSince.Equal(other.impossibleSince) && b.room() == other.room()
}

// impossibleSince returns since when a budget that is impossible to meet has been so. last is its
// previous state; nil when none is known.
func impossibleSince(pdb *policyv1.PodDisruptionBudget, last *Budget, now time.Time) time.Time {
	allowed := apimeta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	switch {
	case last != nil && last.Impossible():
		return last.impossibleSince
	case last == nil && allowed != nil && allowed.Status == metav1.ConditionFalse:
		// The condition outlives a restart of this process: a budget that was permanent before stays
		// so.
		return due.Earlier(allowed.LastTransitionTime.Time, now)
	default:
		return now
	}
}
