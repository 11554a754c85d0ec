// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubectl/pkg/util/podutils"
)

// IgnoredByBudgets says whether a pod is evicted without a look at any budget.
func IgnoredByBudgets(pod *corev1.Pod) bool {
	phase := pod.Status.Phase
	return !pod.DeletionTimestamp.IsZero() ||
		phase == corev1.PodPending || phase == corev1.PodSucceeded || phase == corev1.PodFailed
}

// BudgetsFor are the budgets that select a pod. It is to be called under the lock.
func (s *Server) BudgetsFor(pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	var found []*policyv1.PodDisruptionBudget
	for _, pdb := range All[*policyv1.PodDisruptionBudget](s.Store) {
		selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
		if err == nil && pdb.Namespace == pod.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, pdb)
		}
	}
	return found
}

// exempt says whether an unhealthy pod may go whatever room its budget has.
func exempt(pod *corev1.Pod, pdb *policyv1.PodDisruptionBudget) bool {
	if podutils.IsPodReady(pod) {
		return false
	}
	policy := pdb.Spec.UnhealthyPodEvictionPolicy
	return (policy != nil && *policy == policyv1.AlwaysAllow) ||
		(pdb.Status.CurrentHealthy >= pdb.Status.DesiredHealthy && pdb.Status.DesiredHealthy > 0)
}

// Refusal is what budgets have the server answer to the eviction of a pod; nil when it may go. It is
// to be called under the lock.
func (s *Server) Refusal(pod *corev1.Pod) error {
	if IgnoredByBudgets(pod) {
		return nil
	}
	return refusal(pod, s.BudgetsFor(pod))
}

func refusal(pod *corev1.Pod, budgets []*policyv1.PodDisruptionBudget) error {
	switch {
	case len(budgets) == 0:
		return nil
	case len(budgets) > 1:
		return apierrors.NewInternalError(errors.New("this pod has more than one PodDisruptionBudget"))
	case exempt(pod, budgets[0]):
		return nil
	}
	name, status := budgets[0].Name, budgets[0].Status
	switch {
	case status.ObservedGeneration < budgets[0].Generation:
		return refusedBy(name, "is still being processed by the server")
	case status.DisruptionsAllowed <= 0:
		return refusedBy(name, fmt.Sprintf("needs %d healthy pods and has %d currently",
			status.DesiredHealthy, status.CurrentHealthy))
	}
	return nil
}

func refusedBy(budget, why string) error {
	return WithCause(
		apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0),
		policyv1.DisruptionBudgetCause, fmt.Sprintf("The disruption budget %s %s", budget, why))
}

// takeRoom checks the pod's budget and counts its room down, as checkAndDecrement does.
func (s *Server) takeRoom(pod *corev1.Pod, result *Evicted) {
	if IgnoredByBudgets(pod) {
		return
	}
	budgets := s.BudgetsFor(pod)
	if result.Err = refusal(pod, budgets); result.Err != nil {
		if apierrors.HasStatusCause(result.Err, policyv1.DisruptionBudgetCause) {
			result.RefusedBy = budgets[0]
		}
		return
	}
	if len(budgets) == 0 || exempt(pod, budgets[0]) {
		return
	}
	next := budgets[0].DeepCopy()
	next.Status.DisruptionsAllowed--
	if next.Status.DisruptedPods == nil {
		next.Status.DisruptedPods = map[string]metav1.Time{}
	}
	next.Status.DisruptedPods[pod.Name] = metav1.Now()
	s.Store.Put(next)
	result.Took = budgets[0]
}
