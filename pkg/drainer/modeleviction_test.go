// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// defaultGrace is what a pod gets that says nothing.
const defaultGrace = 30

// serving is how an eviction is carried out.
type serving struct {
	// ours says that the drainer that runs now posted it.
	ours bool
	// half has it end when it has taken the room of the budget.
	half bool
}

// evictPod does what the eviction handler of kube-apiserver 1.36 does, in its order: among other
// things it takes the room of a budget before it looks at the UID that the request names. The
// caller holds the lock.
func (w *world) evictPod(eviction *policyv1.Eviction, as serving, posted time.Time) error {
	pod := w.livePod(types.NamespacedName{Namespace: eviction.Namespace, Name: eviction.Name})
	if pod == nil {
		return apierrors.NewNotFound(corev1.Resource("pods"), eviction.Name)
	}
	if !ignoredByBudgets(pod) {
		if err := w.takeRoom(pod, as.ours, posted); err != nil {
			return err
		}
	}
	if as.half {
		return apierrors.NewInternalError(fmt.Errorf("etcdserver: request timed out"))
	}
	return w.deletePod(pod, eviction.DeleteOptions)
}

func ignoredByBudgets(pod *corev1.Pod) bool {
	phase := pod.Status.Phase
	return !pod.DeletionTimestamp.IsZero() ||
		phase == corev1.PodPending || phase == corev1.PodSucceeded || phase == corev1.PodFailed
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (w *world) budgetsFor(pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	var found []*policyv1.PodDisruptionBudget
	for _, pdb := range sortedObjects[*policyv1.PodDisruptionBudget](w.store, budgetsResource) {
		selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
		if err == nil && pdb.Namespace == pod.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, pdb)
		}
	}
	return found
}

// exempt says whether an unhealthy pod may go whatever room its budget has.
func exempt(pod *corev1.Pod, pdb *policyv1.PodDisruptionBudget) bool {
	if isReady(pod) {
		return false
	}
	policy := pdb.Spec.UnhealthyPodEvictionPolicy
	return (policy != nil && *policy == policyv1.AlwaysAllow) ||
		(pdb.Status.CurrentHealthy >= pdb.Status.DesiredHealthy && pdb.Status.DesiredHealthy > 0)
}

// refusal is what the eviction handler would answer for the sake of budgets; nil when the pod
// may go.
func (w *world) refusal(pod *corev1.Pod) error {
	budgets := w.budgetsFor(pod)
	switch {
	case ignoredByBudgets(pod), len(budgets) == 0:
		return nil
	case len(budgets) > 1:
		return apierrors.NewInternalError(fmt.Errorf("this pod has more than one PodDisruptionBudget"))
	case exempt(pod, budgets[0]):
		return nil
	}
	status := budgets[0].Status
	switch {
	case status.ObservedGeneration < budgets[0].Generation:
		return budgetRefusal(budgets[0].Name, "is still being processed by the server")
	case status.DisruptionsAllowed <= 0:
		return budgetRefusal(budgets[0].Name, fmt.Sprintf("needs %d healthy pods and has %d currently", status.DesiredHealthy, status.CurrentHealthy))
	}
	return nil
}

func budgetRefusal(name, why string) error {
	refusal := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	refusal.ErrStatus.Details.Causes = append(refusal.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: policyv1.DisruptionBudgetCause, Message: fmt.Sprintf("The disruption budget %s %s", name, why),
	})
	return refusal
}

// takeRoom checks the pod's budget and counts its room down, as checkAndDecrement does.
func (w *world) takeRoom(pod *corev1.Pod, ours bool, posted time.Time) error {
	refusal := w.refusal(pod)
	if refusal != nil {
		if ours && apierrors.HasStatusCause(refusal, policyv1.DisruptionBudgetCause) {
			w.check.refusedByBudget(pod, w.budgetsFor(pod)[0], posted)
		}
		return refusal
	}
	budgets := w.budgetsFor(pod)
	if len(budgets) == 0 || exempt(pod, budgets[0]) {
		return nil
	}
	next := budgets[0].DeepCopy()
	next.Status.DisruptionsAllowed--
	if next.Status.DisruptedPods == nil {
		next.Status.DisruptedPods = map[string]metav1.Time{}
	}
	next.Status.DisruptedPods[pod.Name] = metav1.Now()
	w.store.put(budgetsResource, next)
	w.check.saw[map[bool]string{true: "room taken", false: "room taken by another"}[ours]]++
	if !ours || !isReady(pod) || !w.pods[pod.UID].changed.Before(posted.Add(-w.faults.lag)) {
		w.check.roomLost(keyOf(next)) // the drainer may not know that it would take any
	}
	return nil
}

// deletePod is a graceful deletion. The caller holds the lock.
func (w *world) deletePod(pod *corev1.Pod, options *metav1.DeleteOptions) error {
	if options == nil {
		options = &metav1.DeleteOptions{}
	}
	if p := options.Preconditions; p != nil && p.UID != nil && *p.UID != pod.UID {
		return apierrors.NewConflict(corev1.Resource("pods"), pod.Name, fmt.Errorf("the UID in the precondition does not match"))
	}
	grace := int64(defaultGrace)
	switch {
	case options.GracePeriodSeconds != nil:
		grace = *options.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		grace = *pod.Spec.TerminationGracePeriodSeconds
	}
	ends := time.Now().Add(time.Duration(grace) * time.Second)
	if !pod.DeletionTimestamp.IsZero() && !ends.Before(pod.DeletionTimestamp.Time) {
		return nil // a second deletion can only shorten the first
	}
	if pod.DeletionTimestamp.IsZero() {
		w.pods[pod.UID].terminating = time.Now()
	}
	next := pod.DeepCopy()
	next.DeletionTimestamp, next.DeletionGracePeriodSeconds = ptrTo(metav1.NewTime(ends)), &grace
	w.store.put(podsResource, next)
	if grace == 0 {
		w.endPod(next)
	}
	return nil
}

// endPod removes a pod that has stopped, unless finalizers keep it.
func (w *world) endPod(pod *corev1.Pod) {
	if len(pod.Finalizers) > 0 {
		return
	}
	w.pods[pod.UID].ended = time.Now()
	w.store.remove(podsResource, keyOf(pod))
	w.trace("pod %s (%s) is gone from %s", pod.Name, pod.UID, pod.Spec.NodeName)
}

func (w *world) livePod(key types.NamespacedName) *corev1.Pod {
	pod, _ := w.store.get(podsResource, key).(*corev1.Pod)
	return pod
}

// cannotSync says whether the disruption controller cannot evaluate the budget.
func cannotSync(pdb *policyv1.PodDisruptionBudget) bool {
	condition := apimeta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	return condition != nil && condition.Reason == policyv1.SyncFailedReason
}
