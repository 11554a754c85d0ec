// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"cmp"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Budget builds a PodDisruptionBudget for the pods of one app, with a current status.
type Budget struct {
	// Name is required.
	Name string
	// Namespace and App (the label app of its pods) are the constants of the same names by default.
	Namespace, App string
	// Version is the resource version; "1" by default.
	Version string
	// Desired, Healthy and Expected are the numbers of healthy pods that it needs, of those that it
	// has, and of all that it expects; Allowed is how many it lets go.
	Desired, Healthy, Expected, Allowed int32
	// AlwaysAllow lets pods go that are not ready.
	AlwaysAllow bool
	// Behind budgets have a spec that the disruption controller has not evaluated.
	Behind bool
	// SyncFailed budgets cannot be evaluated.
	SyncFailed bool
	// ClosedFor is for how long, at Epoch, the budget has let nobody go; 0: it does not say.
	ClosedFor time.Duration
	// Disrupts are the pods whose eviction, at Epoch, the status shows.
	Disrupts []string
	// Change makes a last change.
	Change func(*policyv1.PodDisruptionBudget)
}

// Object is the budget.
func (b Budget) Object() *policyv1.PodDisruptionBudget {
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cmp.Or(b.Namespace, Namespace), Name: b.Name, UID: UID(b.Name),
			Generation: 1, ResourceVersion: cmp.Or(b.Version, "1"),
		},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: AppSelector(cmp.Or(b.App, App))},
		Status: policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: 1, DesiredHealthy: b.Desired, CurrentHealthy: b.Healthy,
			ExpectedPods: b.Expected, DisruptionsAllowed: b.Allowed, Conditions: b.conditions(),
		},
	}
	if b.AlwaysAllow {
		pdb.Spec.UnhealthyPodEvictionPolicy = ptr.To(policyv1.AlwaysAllow)
	}
	if b.Behind {
		pdb.Generation++
	}
	if len(b.Disrupts) > 0 {
		pdb.Status.DisruptedPods = map[string]metav1.Time{}
	}
	for _, pod := range b.Disrupts {
		pdb.Status.DisruptedPods[pod] = metav1.NewTime(Epoch)
	}
	return changed(pdb, b.Change)
}

func (b Budget) conditions() []metav1.Condition {
	condition := metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse}
	switch {
	case b.SyncFailed:
		condition.Reason, condition.Message = policyv1.SyncFailedReason, "no scale subresource"
	case b.ClosedFor > 0:
		condition.Reason = policyv1.InsufficientPodsReason
		condition.LastTransitionTime = metav1.NewTime(Epoch.Add(-b.ClosedFor))
	default:
		return nil
	}
	return []metav1.Condition{condition}
}
