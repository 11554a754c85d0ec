// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
)

// doNotDisrupt are the annotations with which pods ask autoscalers not to move them, and their values. A
// drain heeds them only where a rule says so.
var doNotDisrupt = []struct{ name, value string }{
	{"karpenter.sh/do-not-disrupt", "true"},
	{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"},
}

// message is the reason why the pod has its action, and what its eviction loses or overrides.
func (p Pod) message() string {
	notes := append([]string{p.why, p.ownNote(), p.machineNote(), p.clash.message()}, p.losses()...)
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
}

// ownNote says when a pod that runs this server goes.
func (p Pod) ownNote() string {
	if !p.own || !removes(p.Action) {
		return ""
	}
	return "runs this server, so it goes after all other pods, while another replica is ready"
}

// loses says whether the eviction of the pod may lose something or override what the pod asks for.
func (p Pod) loses() bool {
	return p.Action == v1beta1.PlanEvict && !eviction.Finished(p.Pod) && !p.machine.Survives()
}

// losses are what the eviction of the pod loses or overrides, in words.
func (p Pod) losses() (notes []string) {
	if !p.loses() {
		return nil
	}
	if unmanaged(p.Pod) {
		notes = append(notes, "no controller creates it again")
	}
	if p.losesEmptyDir() {
		notes = append(notes, "the data of its emptyDir volumes are lost")
	}
	if mislabeled(p.Pod) {
		notes = append(notes, fmt.Sprintf("evicted although it has the label %s, whose value %q means nothing: use %s or %s",
			v1beta1.DrainLabel, p.Pod.Labels[v1beta1.DrainLabel], v1beta1.DrainLabelSkip, v1beta1.DrainLabelWaitCompleted))
	}
	return append(notes, p.ignored())
}

// losesEmptyDir says whether data in emptyDir volumes of the pod are lost with it. This server keeps nothing there.
func (p Pod) losesEmptyDir() bool { return usesEmptyDir(p.Pod) && !p.own }

// ignored says which annotation of the pod the eviction overrides; empty when there is none, or when
// rules decided about it.
func (p Pod) ignored() string {
	if p.heeded {
		return ""
	}
	for _, asks := range doNotDisrupt {
		if p.Pod.Annotations[asks.name] == asks.value {
			return fmt.Sprintf("evicted although its annotation %s is %s: to leave it, add a rule with podAnnotations and the action Skip",
				asks.name, asks.value)
		}
	}
	return ""
}

// mislabeled says whether the pod's label for drains has a value that means nothing.
func mislabeled(pod *corev1.Pod) bool {
	value, found := pod.Labels[v1beta1.DrainLabel]
	return found && value != v1beta1.DrainLabelSkip && value != v1beta1.DrainLabelWaitCompleted
}
