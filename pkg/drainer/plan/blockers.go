// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

const (
	// terminationLag is how long after the end of its grace period a pod may still be there before a
	// blocker reports it: the kubelet tells of its end a little later.
	terminationLag = 5 * time.Second
	// removalLag is how long after the end of its grace period a pod is removed that is to be deleted, at least.
	removalLag = 30 * time.Second
	// deletionLag is how long after its eviction was accepted a pod may have no deletion timestamp
	// before a blocker reports it.
	deletionLag = 30 * time.Second
)

// blocker returns what keeps a pod whose turn has come from being evicted now; nil when nothing does.
func (p *planner) blocker(going Pod, tried eviction.Attempt) *v1beta1.DrainBlocker {
	if blocker, decided := p.machineBlocker(going, tried); decided {
		return blocker
	}
	permit := eviction.PermitFor(going.Pod, p.Budgets.Selecting(going.Pod), p.room)
	switch {
	case permit.Allowed:
		if permit.Takes != nil {
			p.left[permit.Takes.Name]--
		}
		return attemptBlocker(going.Pod, tried)
	case len(permit.BlockedBy) > 1:
		return budgetsBlocker(going.Pod, permit.BlockedBy)
	default:
		only := permit.BlockedBy[0]
		return budgetBlocker(going.Pod, only, p.permanent(only))
	}
}

// permanent says whether waiting for the budget does not help.
func (p *planner) permanent(of *eviction.Budget) bool {
	if p.Forecast {
		return of.Impossible()
	}
	permanent, recheck := of.Permanent(p.Now)
	p.recheckAt(recheck)
	return permanent
}

// room is what is left of the budget's room after the pods that were planned before.
func (p *planner) room(of *eviction.Budget) int {
	left, counted := p.left[of.Name]
	if !counted {
		left = p.Budgets.Room(of)
		p.left[of.Name] = left
	}
	return left
}

// removal is the time when a pod is removed, although the kubelet has not stopped it; zero: never. That is so once it is to be
// deleted, after its grace period was over for as long again. Not if nobody knows whether it runs: another one that takes
// its place would use the same volumes, or the same disk of a virtual machine. Finalizers keep it all the same.
func (p *planner) removal(pod *corev1.Pod, wanted union) time.Time {
	if wanted.action != v1beta1.PlanDelete || pod.DeletionTimestamp.IsZero() || p.NodeDead || len(pod.Finalizers) > 0 ||
		virtualmachine.IsLauncher(pod) || p.Replicas.Runs(pod) {
		return time.Time{}
	}
	over := pod.DeletionTimestamp.Time
	if again := p.stopsAgain(pod); again.After(over) {
		over = again
	}
	return over.Add(max(time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0))*time.Second, removalLag))
}

// overdue is the blocker of a pod that was evicted and should be gone by now; nil while there is time. removal is when the
// pod is removed; zero: never.
func (p *planner) overdue(pod *corev1.Pod, tried eviction.Attempt, removal time.Time) *v1beta1.DrainBlocker {
	end := tried.Evicted.Add(deletionLag)
	if !pod.DeletionTimestamp.IsZero() {
		end = pod.DeletionTimestamp.Add(terminationLag)
	}
	if p.Now.Before(end) {
		p.recheckAt(end)
		return nil
	}
	if again := p.stopsAgain(pod); p.Now.Before(again.Add(terminationLag)) {
		p.recheckAt(again.Add(terminationLag))
		return &v1beta1.DrainBlocker{
			Pod: key(pod), Reason: v1beta1.BlockerTerminating,
			Message: fmt.Sprintf("node %s is ready again since %s, and a kubelet that has restarted starts the pod's grace period anew: "+
				"it is over at %s at the latest", p.Node, clockTime(p.NodeReadySince), clockTime(again)),
		}
	}
	blocker := terminatingBlocker(pod, p.Node, p.NodeDead)
	if !removal.IsZero() {
		p.recheckAt(removal)
		blocker.Message = fmt.Sprintf("the pod's grace period is over, but the kubelet has not stopped the pod: it is removed at %s", clockTime(removal))
	}
	return blocker
}

// stopsAgain is the time when the grace period of a pod that is being deleted is over if the kubelet has started it anew; zero: it
// has not, or that is not known.
func (p *planner) stopsAgain(pod *corev1.Pod) time.Time {
	if p.NodeDead || pod.DeletionTimestamp == nil || pod.DeletionGracePeriodSeconds == nil {
		return time.Time{}
	}
	grace := time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
	if began := pod.DeletionTimestamp.Add(-grace); p.NodeReadySince.Before(began) {
		return time.Time{}
	}
	return p.NodeReadySince.Add(grace)
}

func (p *planner) recheckAt(when time.Time) { p.recheck = due.Earlier(p.recheck, when) }

func completionBlocker(pod *corev1.Pod, why string) *v1beta1.DrainBlocker {
	blocker := &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerWaitingForCompletion,
		Message: fmt.Sprintf("the pod runs to completion first (%s): wait for it, or delete it", why),
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		blocker.Object = fmt.Sprintf("%s/%s/%s", owner.Kind, pod.Namespace, owner.Name)
	}
	return blocker
}

func unmanagedBlocker(pod *corev1.Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerUnmanagedPod, Permanent: true,
		Message: "no controller would create the pod again, and spec.drain.unmanagedPods is Block: delete the pod, or set Evict",
	}
}

func emptyDirBlocker(pod *corev1.Pod) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerEmptyDirPod, Permanent: true,
		Message: "the data of the pod's emptyDir volumes would be lost, and spec.drain.emptyDirPods is Block: " +
			"save them and delete the pod, or set Evict",
	}
}

func budgetBlocker(pod *corev1.Pod, b *eviction.Budget, permanent bool) *v1beta1.DrainBlocker {
	return &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerDisruptionBudget, Object: b.Object(), Permanent: permanent,
		Message: budgetMessage(pod, b) + unhealthyWayOut(pod),
	}
}

// unhealthyWayOut is the way out for a pod that is not ready: with AlwaysAllow, no budget would hold it.
func unhealthyWayOut(pod *corev1.Pod) string {
	if podutils.IsPodReady(pod) {
		return ""
	}
	return "; the pod is not ready: with unhealthyPodEvictionPolicy: AlwaysAllow, the budget would let it go now"
}

// budgetMessage does not depend on whether the budget is known to be impossible for good: the words of a
// plan, and of a drain that has just begun, are those of the blocker later.
func budgetMessage(pod *corev1.Pod, b *eviction.Budget) string {
	switch {
	case b.SyncFailed != "":
		return fmt.Sprintf("budget %s cannot be evaluated: %s: correct its selector or the pods' controller", b.Name, b.SyncFailed)
	case !b.Current:
		return fmt.Sprintf("budget %s has changed and is still being evaluated", b.Name)
	case b.Expected == 0:
		return fmt.Sprintf("budget %s counts no pods, so it allows no eviction: maxUnavailable and percentages count only pods "+
			"whose controller can be scaled: set minAvailable to a number instead", b.Name)
	case b.Impossible() && b.Relative:
		return fmt.Sprintf("budget %s needs %s, and allows none to be unavailable, however many replicas there are: "+
			"let it allow at least 1", b.Name, english.Plural(int(b.Desired), "healthy pod", ""))
	case b.Impossible():
		return fmt.Sprintf("budget %s needs %s, and no more than %d are expected: "+
			"add replicas, or let the budget require fewer", b.Name, english.Plural(int(b.Desired), "healthy pod", ""), b.Expected)
	case b.Healthy > b.Desired:
		return fmt.Sprintf("budget %s needs %s and has %d, but others of its pods are being evicted: "+
			"the pod is evicted when they have been replaced", b.Name, english.Plural(int(b.Desired), "healthy pod", ""), b.Healthy)
	default:
		return fmt.Sprintf("budget %s needs %s and has %d: the pod is evicted when %s",
			b.Name, english.Plural(int(b.Desired), "healthy pod", ""), b.Healthy, needs(pod, b))
	}
}

// needs says what has to happen before the budget lets the pod go. The eviction of a pod that is not
// healthy does not lower the number of healthy pods.
func needs(pod *corev1.Pod, b *eviction.Budget) string {
	more := b.Desired - b.Healthy
	if podutils.IsPodReady(pod) {
		more++
	}
	if more <= 1 {
		return "another one becomes healthy"
	}
	return fmt.Sprintf("%d more become healthy", more)
}

func budgetsBlocker(pod *corev1.Pod, budgets []*eviction.Budget) *v1beta1.DrainBlocker {
	names, objects := make([]string, 0, len(budgets)), make([]string, 0, len(budgets))
	for _, b := range budgets {
		names, objects = append(names, b.Name.Name), append(objects, b.Object())
	}
	return &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerMultipleDisruptionBudgets, Permanent: true,
		Object: strings.Join(objects[:min(len(objects), quote.MaxNames)], ","),
		Message: fmt.Sprintf("%d budgets select the pod (%s), and the eviction API refuses such pods: "+
			"change their selectors so that only one selects it, or delete the pod", len(budgets), quote.Names(names, quote.MaxNames)),
	}
}

// attemptBlocker says why the last request for the pod failed although no budget seemed to forbid it.
// It is nil when there was no request, or when it was only throttled.
func attemptBlocker(pod *corev1.Pod, tried eviction.Attempt) *v1beta1.DrainBlocker {
	blocker := &v1beta1.DrainBlocker{Pod: key(pod), Object: tried.Last.Object, Message: tried.Last.Message}
	switch tried.Last.Outcome {
	case eviction.DisruptionBudget:
		if tried.Failures == 0 {
			return nil // the watch shows that budget, and now it lets the pod go
		}
		blocker.Reason = v1beta1.BlockerDisruptionBudget
	case eviction.AdmissionWebhook:
		blocker.Reason = v1beta1.BlockerAdmissionWebhook
		blocker.Message += ": the eviction is retried; if the webhook is not moving the pod by itself, ask who runs it"
	case eviction.NamespaceTerminating:
		blocker.Reason, blocker.Object = v1beta1.BlockerNamespaceTerminating, "Namespace/"+pod.Namespace
		blocker.Message = fmt.Sprintf("namespace %s is being deleted, and its pods with it: "+
			"find out what keeps the namespace from being deleted", pod.Namespace)
	case eviction.Failed:
		blocker.Reason = v1beta1.BlockerEvictionFailed
		blocker.Message += ": the eviction is retried"
	default:
		return nil
	}
	return blocker
}

func terminatingBlocker(pod *corev1.Pod, node string, nodeDead bool) *v1beta1.DrainBlocker {
	blocker := &v1beta1.DrainBlocker{Pod: key(pod), Reason: v1beta1.BlockerTerminating}
	switch {
	case len(pod.Finalizers) > 0:
		blocker.Message = fmt.Sprintf("the pod's grace period is over, but finalizers keep it: %s: "+
			"make sure that their controllers run", quote.Names(pod.Finalizers, quote.MaxNames))
	case nodeDead:
		blocker.Object = "Node/" + node
		blocker.Message = fmt.Sprintf("node %s does not report, so nobody knows whether the pod has stopped: restart the node, "+
			"or, if it is certainly off, delete the pod with --force or taint the node node.kubernetes.io/out-of-service", node)
	case pod.DeletionTimestamp.IsZero():
		blocker.Message = "the eviction was accepted, but the pod is not being deleted: find out what prevents that"
	default:
		blocker.Message = "the pod's grace period is over, but the kubelet has not stopped the pod: " +
			"see the state of its containers and the kubelet's log"
	}
	return blocker
}
