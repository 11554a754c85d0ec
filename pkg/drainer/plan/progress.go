// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Progress is how far the drain of one hold has come, judged as if the hold were alone.
type Progress struct {
	// Total is how many pods are on the node.
	Total int
	// Pending are the pods that are still to leave, in the order of the Input's.
	Pending []*corev1.Pod
	// Blockers are what keeps them from leaving, sorted by pod.
	Blockers []v1beta1.DrainBlocker
	// Staying counts the pods of the node that a drain could evict but this hold lets stay. Those that have run to
	// completion do not count, nor do those of Jobs that are run for the hold.
	Staying int
	// Turns says which pods wait for others to leave first.
	Turns Turns
}

// ProgressOf returns how far the drain of a hold of stage Drain has come.
func (p Plan) ProgressOf(h Hold) Progress {
	alone := p.byHold[h.UID]
	progress := Progress{Total: len(p.Pods), Staying: alone.staying, Turns: p.turnsOf(alone)}
	for i, pod := range p.Pods {
		if !alone.decisions[i].goes() {
			continue
		}
		progress.Pending = append(progress.Pending, pod.Pod)
		if blocker := pod.blockerOf(alone, i); blocker != nil {
			progress.Blockers = append(progress.Blockers, quote.Blocker(*blocker))
		}
	}
	slices.SortFunc(progress.Blockers, func(a, b v1beta1.DrainBlocker) int { return cmp.Compare(a.Pod, b.Pod) })
	return progress
}

// blockerOf is the pod's blocker as if the one hold were alone. A pod whose turn has not come yet is
// not blocked.
func (p Pod) blockerOf(alone *holdPlan, i int) *v1beta1.DrainBlocker {
	if p.Action == v1beta1.PlanTerminating || p.Action == v1beta1.PlanDelete || p.kept {
		return p.Blocker
	}
	switch d := alone.decisions[i]; {
	case d.blocker != nil:
		return d.blocker
	case p.Action == v1beta1.PlanEvict && !alone.due(i):
		return nil
	default:
		return p.Blocker
	}
}

// Keys are the namespaces and names of the pods, sorted.
func Keys(pods []*corev1.Pod) []string {
	keys := make([]string, 0, len(pods))
	for _, pod := range pods {
		keys = append(keys, key(pod))
	}
	slices.Sort(keys)
	return keys
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
