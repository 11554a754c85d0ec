// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Hold is a NodeMaintenance with the selectors of its drain parsed. Use NewHold.
type Hold struct {
	*v1beta1.NodeMaintenance
	// Invalid says why a selector cannot be used, or which setting is not known; nil when all is well. Such a
	// hold evicts nothing and is never drained. Other holds of the node are not affected.
	Invalid error
	// Deletes says that the drain is past its deadline, and that the pods that are left are to be
	// deleted.
	Deletes bool
	// Stage is how far the maintenance goes now. It may be lower than spec.stage, while the hold waits to be
	// admitted.
	Stage v1beta1.MaintenanceStage
	// Jobs are run on the node for the hold. Their pods stay, and do not count as pods that are left there.
	Jobs []types.NamespacedName

	selector labels.Selector
	rules    []rule
}

// NewHold parses the drain of a NodeMaintenance.
func NewHold(maintenance *v1beta1.NodeMaintenance) Hold {
	h := Hold{NodeMaintenance: maintenance, Stage: v1beta1.StageNow(maintenance), selector: labels.Everything()}
	if s := maintenance.Spec.Drain.PodSelector; s != nil {
		if h.selector, h.Invalid = metav1.LabelSelectorAsSelector(s); h.Invalid != nil {
			h.Invalid = fmt.Errorf("spec.drain.podSelector cannot be used: %w", h.Invalid)
		}
	}
	h.Invalid = cmp.Or(h.Invalid, unknownSetting(&maintenance.Spec.Drain))
	for i, from := range maintenance.Spec.Drain.Rules {
		parsed, err := newRule(from)
		if err != nil && h.Invalid == nil {
			h.Invalid = fmt.Errorf("spec.drain.rules[%d] cannot be used: %w", i, err)
		}
		h.rules = append(h.rules, parsed)
	}
	return h
}

// said is the hold's name in texts. A drain that is only planned, and is no NodeMaintenance, has none.
func (h Hold) said() string { return cmp.Or(h.Name, "this drain") }

// whose is the hold and its requestor in texts.
func (h Hold) whose() string {
	if h.Name == "" {
		return h.said()
	}
	return fmt.Sprintf("hold %q of %q", h.Name, h.Spec.Requestor)
}

// Drains says whether the hold has its node drained now.
func (h Hold) Drains() bool { return h.Stage == v1beta1.StageDrain }

// SelectsAll says whether the hold's podSelector selects every pod.
func (h Hold) SelectsAll() bool { return h.selector.Empty() }

// selects says whether the hold drains pods with these labels, unless a rule says otherwise.
func (h Hold) selects(podLabels labels.Set) bool {
	return h.Drains() && h.Invalid == nil && h.selector.Matches(podLabels)
}

// runs says whether the pod belongs to a Job that is run for the hold.
func (h Hold) runs(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "Job" && slices.Contains(h.Jobs, types.NamespacedName{Namespace: pod.Namespace, Name: owner.Name})
}

// rule is a DrainRule with its selectors parsed.
type rule struct {
	pods, namespaces labels.Selector
	// annotations are those that a pod must have; an empty value stands for any.
	annotations map[string]string
	action      v1beta1.DrainAction
	order       int32
}

func newRule(from v1beta1.DrainRule) (r rule, err error) {
	r = rule{pods: labels.Everything(), namespaces: labels.Everything(), annotations: from.PodAnnotations, action: from.Action, order: from.Order}
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
	return r, unknownValue("action", from.Action, v1beta1.ActionDrain, v1beta1.ActionSkip, v1beta1.ActionWaitCompleted)
}

// matches says whether the rule asks for the pod, as far as the pod itself decides that.
func (r rule) matches(pod *corev1.Pod) bool {
	for name, want := range r.annotations {
		if value, found := pod.Annotations[name]; !found || (want != "" && value != want) {
			return false
		}
	}
	return r.pods.Matches(labels.Set(pod.Labels))
}
