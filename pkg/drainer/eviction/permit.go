// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/util/podutils"
)

// Permit says whether the API server would let a pod go now, and which budgets decide that.
type Permit struct {
	// Allowed says that it would.
	Allowed bool
	// Takes is the budget whose room the eviction takes; nil when it takes none.
	Takes *Budget
	// ExemptFrom is the budget that does not protect the pod as long as the pod is not ready; nil when
	// there is none.
	ExemptFrom *Budget
	// BlockedBy are the budgets that forbid the eviction; empty when it is allowed.
	BlockedBy []*Budget
}

// PermitFor decides by the rules of the API server's eviction handler. budgets are those that select
// the pod, and room says how many more pods one of them lets go.
func PermitFor(pod *corev1.Pod, budgets []*Budget, room func(*Budget) int) Permit {
	switch {
	case len(budgets) == 0, Finished(pod):
		return Permit{Allowed: true}
	case pod.Status.Phase == corev1.PodPending:
		return Permit{Allowed: true, ExemptFrom: budgets[0]}
	case len(budgets) > 1:
		return Permit{BlockedBy: budgets}
	}
	only := budgets[0]
	if !podutils.IsPodReady(pod) && (only.alwaysAllow || (only.Healthy >= only.Desired && only.Desired > 0)) {
		return Permit{Allowed: true, ExemptFrom: only}
	}
	if room(only) > 0 {
		return Permit{Allowed: true, Takes: only}
	}
	return Permit{BlockedBy: budgets}
}

// uses is the budget whose room the eviction takes or, if the pod becomes ready, may take.
func (p Permit) uses() use {
	if p.ExemptFrom != nil {
		return use{budget: p.ExemptFrom, exempt: true}
	}
	return use{budget: p.Takes}
}

// Finished says whether the pod has run to completion: removing it loses nothing.
func Finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
