// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// terminationLag is how long after the end of its grace period a pod may still be there
	// before that is worth a word: the kubelet reports late.
	terminationLag = 5 * time.Second
	// deletionLag is how long after its eviction was accepted a pod may show no deletion.
	deletionLag = 30 * time.Second
)

func podKey(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

func ownPodBlocker(pod *corev1.Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: podKey(pod), Reason: v1beta1.BlockerOwnPod, Permanent: true,
		Message: "this is the pod of the server that drains the node, and nobody else would go on: " +
			"have it run on another node first",
	}
}

func completionBlocker(pod *corev1.Pod, why string) *v1beta1.DrainBlocker {
	blocker := &v1beta1.DrainBlocker{
		Pod: podKey(pod), Reason: v1beta1.BlockerWaitingForCompletion,
		Message: fmt.Sprintf("the pod runs to its end first (%s): wait for it, or delete it", why),
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		blocker.Object = fmt.Sprintf("%s/%s/%s", owner.Kind, pod.Namespace, owner.Name)
	}
	return blocker
}

func unmanagedBlocker(pod *corev1.Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: podKey(pod), Reason: v1beta1.BlockerUnmanagedPod, Permanent: true,
		Message: "no controller would create the pod again, and spec.drain.unmanagedPods is Block: delete the pod, or set Evict",
	}
}

func emptyDirBlocker(pod *corev1.Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: podKey(pod), Reason: v1beta1.BlockerEmptyDirPod, Permanent: true,
		Message: "the data of the pod's emptyDir volumes would be lost, and spec.drain.emptyDirPods is Block: " +
			"save them and delete the pod, or set Evict",
	}
}

func budgetBlocker(pod *corev1.Pod, b *budget, permanent bool) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: podKey(pod), Reason: v1beta1.BlockerDisruptionBudget, Object: b.object(), Permanent: permanent,
		Message: budgetMessage(pod, b, permanent),
	}
}

func budgetMessage(pod *corev1.Pod, b *budget, permanent bool) string {
	switch {
	case b.syncFailed != "":
		return fmt.Sprintf("budget %s cannot be evaluated: %s: correct its selector or the pods' controller", b.key, b.syncFailed)
	case !b.current:
		return fmt.Sprintf("budget %s has changed and is still being evaluated", b.key)
	case b.expected == 0:
		return fmt.Sprintf("budget %s counts no pods and so lets none go: maxUnavailable and percentages count only pods "+
			"whose controller can be scaled: have it require a number of healthy pods with minAvailable", b.key)
	case permanent:
		return fmt.Sprintf("budget %s needs %s, and no more than %d are expected: "+
			"add replicas, or have the budget require fewer", b.key, healthyPods(b.desired), b.expected)
	case b.healthy > b.desired:
		return fmt.Sprintf("budget %s needs %s and has %d, but others of its pods are being evicted: "+
			"the pod's turn comes when they have been replaced", b.key, healthyPods(b.desired), b.healthy)
	default:
		return fmt.Sprintf("budget %s needs %s and has %d: the pod is evicted when %s",
			b.key, healthyPods(b.desired), b.healthy, missing(pod, b))
	}
}

// missing says what has to happen until the budget lets the pod go, which at present it does not:
// a pod that is not healthy itself takes nothing from it.
func missing(pod *corev1.Pod, b *budget) string {
	more := b.desired - b.healthy
	if podReady(pod) {
		more++
	}
	if more <= 1 {
		return "another one becomes healthy"
	}
	return fmt.Sprintf("%d more become healthy", more)
}

func healthyPods(count int32) string {
	if count == 1 {
		return "1 healthy pod"
	}
	return fmt.Sprintf("%d healthy pods", count)
}

func budgetsBlocker(pod *corev1.Pod, budgets []*budget) *v1beta1.DrainBlocker {
	names, objects := make([]string, 0, len(budgets)), make([]string, 0, len(budgets))
	for _, b := range budgets {
		names, objects = append(names, b.key.Name), append(objects, b.object())
	}
	return &v1beta1.DrainBlocker{
		Pod: podKey(pod), Reason: v1beta1.BlockerMultipleDisruptionBudgets, Permanent: true,
		Object: strings.Join(objects[:min(len(objects), maxQuotedNames)], ","),
		Message: fmt.Sprintf("%d budgets select the pod (%s), and the eviction API refuses such pods: "+
			"have one of them select other pods, or delete the pod by hand", len(budgets), listed(names, maxQuotedNames)),
	}
}

// attemptBlocker says why the last eviction of the pod, which no budget seemed to forbid, did
// not succeed; nil when there was none, or it is only being throttled.
func attemptBlocker(pod *corev1.Pod, tried attempt) *v1beta1.DrainBlocker {
	blocker := &v1beta1.DrainBlocker{Pod: podKey(pod), Object: tried.last.object, Message: tried.last.message}
	switch tried.last.outcome {
	case outcomeDisruptionBudget:
		if tried.failures == 0 {
			return nil // a budget that we see, and by now it lets the pod go
		}
		blocker.Reason = v1beta1.BlockerDisruptionBudget
	case outcomeAdmissionWebhook:
		blocker.Reason = v1beta1.BlockerAdmissionWebhook
		blocker.Message += ": the eviction is tried again; if the webhook is not moving the pod by itself, ask who runs it"
	case outcomeNamespaceTerminating:
		blocker.Reason, blocker.Object = v1beta1.BlockerNamespaceTerminating, "Namespace/"+pod.Namespace
		blocker.Message = fmt.Sprintf("namespace %s is being deleted, and its pods with it: see what keeps it from ending", pod.Namespace)
	case outcomeFailed:
		blocker.Reason = v1beta1.BlockerEvictionFailed
		blocker.Message += ": the eviction is tried again"
	default:
		return nil
	}
	return blocker
}

func terminatingBlocker(pod *corev1.Pod, node string, nodeDead bool) *v1beta1.DrainBlocker {
	blocker := &v1beta1.DrainBlocker{Pod: podKey(pod), Reason: v1beta1.BlockerTerminating}
	switch {
	case len(pod.Finalizers) > 0:
		blocker.Message = fmt.Sprintf("the pod's grace period is over, but finalizers keep it: %s: "+
			"see that their controllers run", listed(pod.Finalizers, maxQuotedNames))
	case nodeDead:
		blocker.Object = "Node/" + node
		blocker.Message = fmt.Sprintf("node %s does not report, so the pod's end cannot be confirmed: bring the node back, "+
			"or, once it is certainly off, delete the pod with --force or taint the node node.kubernetes.io/out-of-service", node)
	case pod.DeletionTimestamp.IsZero():
		blocker.Message = "the eviction was accepted, but the pod is not being deleted: see what undid it"
	default:
		blocker.Message = "the pod's grace period is over, but the kubelet has not ended it: see its containers and the kubelet's log"
	}
	return blocker
}
