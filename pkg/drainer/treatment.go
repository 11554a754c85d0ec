// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// systemCriticalPriority is the least priority of the classes system-cluster-critical and
// system-node-critical; no class of a user's own reaches it.
const systemCriticalPriority = 2_000_000_000

// kind is what a hold, alone, does with a pod that a drain can evict.
type kind int

const (
	// leave: the hold has nothing against the pod's staying.
	leave kind = iota
	// evict: the pod is to be evicted when its turn comes.
	evict
	// waitCompleted: the pod runs to its end first.
	waitCompleted
	// block: the pod is to go, but somebody has to remove it by hand.
	block
	// undecided: what is needed to decide is not known yet, so nothing is done.
	undecided
)

// treatment is what one hold, alone, does with one pod, and why.
type treatment struct {
	kind kind
	turn turn
	// why is for people. Empty: evicting is what a drain does.
	why string
	// blocker is set for the kinds waitCompleted and block.
	blocker *v1beta1.DrainBlocker
}

// goes says whether the hold wants the pod gone, sooner or later.
func (t treatment) goes() bool { return t.kind != leave }

// turn is when a pod is evicted: those of an earlier turn are gone before the next one starts.
type turn struct {
	order    int32
	critical bool
}

func (t turn) compare(other turn) int {
	return cmp.Or(cmp.Compare(t.order, other.order), cmp.Compare(btoi(t.critical), btoi(other.critical)))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// namespaceReader knows the labels of namespaces.
type namespaceReader interface {
	labelsOf(namespace string) (set labels.Set, known bool)
}

// treats decides what the hold alone does with a pod that a drain can evict.
func (h hold) treats(pod *corev1.Pod, namespaces namespaceReader) treatment {
	if !h.selects(pod) {
		return treatment{kind: leave, why: fmt.Sprintf("spec.drain.podSelector of %s does not select it", h.Name)}
	}
	action, order, why, decided := h.ruleFor(pod, namespaces)
	if !decided {
		return treatment{kind: undecided, why: fmt.Sprintf("namespace %s is not known yet", pod.Namespace)}
	}
	t := treatment{kind: evict, turn: turn{order: order, critical: systemCritical(pod)}, why: why}
	switch {
	case action == v1beta1.ActionSkip:
		return treatment{kind: leave, why: why}
	case finished(pod):
	case action == v1beta1.ActionWaitCompleted:
		t.kind, t.blocker = waitCompleted, completionBlocker(pod, why)
	case h.Spec.Drain.UnmanagedPods == v1beta1.PolicyBlock && unmanaged(pod):
		t.kind, t.blocker = block, unmanagedBlocker(pod)
	case h.Spec.Drain.EmptyDirPods == v1beta1.PolicyBlock && usesEmptyDir(pod):
		t.kind, t.blocker = block, emptyDirBlocker(pod)
	}
	return t
}

// ruleFor is the action of the pod's label or, without one, of the first rule that matches.
func (h hold) ruleFor(pod *corev1.Pod, namespaces namespaceReader) (action v1beta1.DrainAction, order int32, why string, decided bool) {
	switch value := pod.Labels[v1beta1.DrainLabel]; value {
	case v1beta1.DrainLabelSkip:
		return v1beta1.ActionSkip, 0, fmt.Sprintf("its label %s is %s", v1beta1.DrainLabel, value), true
	case v1beta1.DrainLabelWaitCompleted:
		return v1beta1.ActionWaitCompleted, 0, fmt.Sprintf("its label %s is %s", v1beta1.DrainLabel, value), true
	}
	for i, r := range h.rules {
		if !r.pods.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if !r.namespaces.Empty() {
			namespace, known := namespaces.labelsOf(pod.Namespace)
			if !known {
				return "", 0, "", false
			}
			if !r.namespaces.Matches(namespace) {
				continue
			}
		}
		return r.action, r.order, fmt.Sprintf("spec.drain.rules[%d] of %s says %s", i, h.Name, r.action), true
	}
	return v1beta1.ActionDrain, 0, "", true
}

// rule is a DrainRule with its selectors parsed.
type rule struct {
	pods, namespaces labels.Selector
	action           v1beta1.DrainAction
	order            int32
}

func newRule(from v1beta1.DrainRule) (r rule, err error) {
	r = rule{pods: labels.Everything(), namespaces: labels.Everything(), action: from.Action, order: from.Order}
	if from.PodSelector != nil {
		if r.pods, err = metav1.LabelSelectorAsSelector(from.PodSelector); err != nil {
			return r, fmt.Errorf("podSelector: %w", err)
		}
	}
	if from.NamespaceSelector != nil {
		if r.namespaces, err = metav1.LabelSelectorAsSelector(from.NamespaceSelector); err != nil {
			return r, fmt.Errorf("namespaceSelector: %w", err)
		}
	}
	return r, nil
}

// finished says whether the pod has run to its end: nothing is lost by removing it.
func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
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
