// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/virtualmachine"
)

// systemCriticalPriority is the lowest priority of the classes system-cluster-critical and
// system-node-critical. Priority classes that users create are lower.
const systemCriticalPriority = 2_000_000_000

// kind is what a hold, alone, does with a pod that a drain can evict.
type kind int

const (
	// stay: the pod stays, as far as this hold goes.
	stay kind = iota
	// evict: the pod is to be evicted when its turn comes.
	evict
	// waitCompleted: the pod runs to completion first.
	waitCompleted
	// block: the pod is to go, but the drain waits until somebody removes it by hand.
	block
	// undecided: what is needed to decide is not known yet, so nothing is done.
	undecided
)

// decision is what one hold, alone, does with one pod, and why.
type decision struct {
	kind kind
	turn turn
	// why is the reason, for people; empty when the pod is evicted by default.
	why string
	// heeds says that a rule that asks for the pod's annotations decided it.
	heeds bool
	// own says that the pod belongs to a Job that is run for the hold.
	own bool
	// blocker is set for the kinds waitCompleted and block.
	blocker *v1beta1.DrainBlocker
}

// goes says whether the hold wants the pod gone, sooner or later.
func (d decision) goes() bool { return d.kind != stay }

// leaves says whether the hold lets a pod stay that goes on running, and not for the hold itself.
func (d decision) leaves(pod *corev1.Pod) bool { return !d.goes() && !d.own && !eviction.Finished(pod) }

// blocks says whether the hold blocks the pod for that reason.
func (d decision) blocks(reason v1beta1.BlockerReason) bool {
	return d.kind == block && d.blocker.Reason == reason
}

// turn is the time when a pod is evicted: the pods of an earlier turn are gone before the next one starts.
type turn struct {
	// own says that the pod runs this server. Such pods come last, whatever their order.
	own      bool
	order    int32
	critical bool
}

func (t turn) compare(other turn) int {
	return cmp.Or(lastIf(t.own, other.own), cmp.Compare(t.order, other.order), lastIf(t.critical, other.critical))
}

// lastIf puts that of two which is so after that which is not.
func lastIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// decide says what the hold alone does with a pod that a drain can evict.
func (h Hold) decide(pod *corev1.Pod, namespaces map[string]labels.Set) decision {
	if h.runs(pod) {
		return decision{kind: stay, own: true, why: fmt.Sprintf("its Job is run for %s", h.said())}
	}
	if !h.selects(pod.Labels) {
		return decision{kind: stay, why: fmt.Sprintf("spec.drain.podSelector of %s does not select it", h.said())}
	}
	asked, decided := h.askedFor(pod, namespaces)
	if !decided {
		return decision{kind: undecided, why: fmt.Sprintf("namespace %s is not known yet", pod.Namespace)}
	}
	d := decision{kind: evict, turn: turn{order: asked.order, critical: systemCritical(pod)}, why: asked.why, heeds: asked.heeds}
	switch {
	case asked.action == v1beta1.ActionSkip:
		return decision{kind: stay, why: asked.why}
	case eviction.Finished(pod):
	case asked.action == v1beta1.ActionWaitCompleted:
		d.kind, d.blocker = waitCompleted, completionBlocker(pod, asked.why)
	case h.Spec.Drain.UnmanagedPods == v1beta1.PolicyBlock && unmanaged(pod):
		d.kind, d.blocker = block, unmanagedBlocker(pod)
	case h.Spec.Drain.EmptyDirPods == v1beta1.PolicyBlock && usesEmptyDir(pod) && !virtualmachine.IsLauncher(pod):
		d.kind, d.blocker = block, emptyDirBlocker(pod)
	}
	return d
}

// asked is what the pod's label or a rule asks for.
type asked struct {
	action v1beta1.DrainAction
	order  int32
	// why names the label or the rule; empty when neither decides.
	why string
	// heeds says that the rule asks for annotations of the pod.
	heeds bool
}

// askedFor is what the pod's label asks for or, without one, the first rule that matches. decided is
// false when a rule asks for the labels of a namespace that is not known yet.
func (h Hold) askedFor(pod *corev1.Pod, namespaces map[string]labels.Set) (a asked, decided bool) {
	switch value := pod.Labels[v1beta1.DrainLabel]; value {
	case v1beta1.DrainLabelSkip:
		return asked{action: v1beta1.ActionSkip, why: fmt.Sprintf("its label %s is %s", v1beta1.DrainLabel, value)}, true
	case v1beta1.DrainLabelWaitCompleted:
		return asked{action: v1beta1.ActionWaitCompleted, why: fmt.Sprintf("its label %s is %s", v1beta1.DrainLabel, value)}, true
	}
	for i, r := range h.rules {
		if !r.matches(pod) {
			continue
		}
		if !r.namespaces.Empty() {
			namespace, known := namespaces[pod.Namespace]
			if !known {
				return asked{}, false
			}
			if !r.namespaces.Matches(namespace) {
				continue
			}
		}
		why := fmt.Sprintf("spec.drain.rules[%d] of %s says %s", i, h.said(), r.action)
		return asked{action: r.action, order: r.order, why: why, heeds: len(r.annotations) > 0}, true
	}
	return asked{action: v1beta1.ActionDrain}, true
}

func unmanaged(pod *corev1.Pod) bool { return metav1.GetControllerOf(pod) == nil }

func usesEmptyDir(pod *corev1.Pod) bool {
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].EmptyDir != nil {
			return true
		}
	}
	return false
}

func systemCritical(pod *corev1.Pod) bool {
	return pod.Spec.Priority != nil && *pod.Spec.Priority >= systemCriticalPriority
}

// OfDaemonSet says whether a DaemonSet controls the pod.
func OfDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

// whyNotDrainable says why no drain evicts the pod.
func whyNotDrainable(pod *corev1.Pod) string {
	switch _, isMirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; {
	case isMirror:
		return "a static pod: it belongs to the node"
	case OfDaemonSet(pod):
		return "a pod of a DaemonSet: it belongs to the node"
	default:
		return "no drain evicts such a pod"
	}
}
