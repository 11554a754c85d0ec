// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
)

// holds says whether a pod whose turn has come is not to be evicted yet, because it came back: one at a
// time is chosen of each controller, and not before its time. A pod that has run to its end is not held: its controller
// replaces it whether it is evicted or not.
func (p *planner) holds(going Pod) bool {
	of, back := p.Returns[going.Pod.UID]
	if !back || !going.goesNow() || of.Free || eviction.Finished(going.Pod) {
		return false
	}
	if p.chosen[of.Object] == "" && of.MayGo(going.Pod.UID, p.Now) {
		p.chosen[of.Object] = going.Pod.UID
	}
	if p.chosen[of.Object] == going.Pod.UID {
		return false
	}
	if of.Recheck.After(p.Now) {
		p.recheckAt(of.Recheck)
	}
	return true
}

// heldBlocker is the blocker of a pod that is held. What its budget says comes first, whichever of the
// controller's pods is chosen: it would keep this one, too.
func (p *planner) heldBlocker(going Pod, tried eviction.Attempt) *v1beta1.DrainBlocker {
	budgets := p.Budgets.Selecting(going.Pod)
	if going.Action == v1beta1.PlanEvict && !eviction.PermitFor(going.Pod, budgets, p.Budgets.Room).Allowed {
		return p.blocker(going, tried)
	}
	return p.returned(going.Pod)
}

// again is the blocker of a pod that is being evicted although its controller puts its pods back; nil when
// it does not.
func (p *planner) again(pod *corev1.Pod) *v1beta1.DrainBlocker {
	if !p.Returns[pod.UID].Again {
		return nil
	}
	return p.returned(pod)
}

// leaving is the blocker of a pod that was evicted just now, while another one in its place is likely to be
// on its way; nil when none is.
func (p *planner) leaving(pod *corev1.Pod) *v1beta1.DrainBlocker {
	of := p.Returns[pod.UID]
	if of.Chosen == pod.UID {
		p.chosen[of.Object] = pod.UID // the watch does not show yet that it leaves
	}
	if until := of.LeavingUntil(); p.Now.Before(until) {
		p.recheckAt(until)
		return p.returned(pod)
	}
	return nil
}

// returned is the blocker of a pod that came back.
func (p *planner) returned(pod *corev1.Pod) *v1beta1.DrainBlocker {
	of := p.Returns[pod.UID]
	blocker := &v1beta1.DrainBlocker{
		Pod: key(pod), Reason: v1beta1.BlockerPodsReturn, Object: of.Object, Permanent: of.Again,
	}
	if !of.Again {
		blocker.Message = fmt.Sprintf("%s came to cordoned node %s: one of them is evicted first, "+
			"and the others when no other has come for %s", cameSince(of), p.Node, returns.Settle)
		return blocker
	}
	blocker.Message = fmt.Sprintf("%s came back to cordoned node %s. %s: %s, %s, "+
		"or leave these pods alone with action Skip in spec.drain.rules. %s",
		cameSince(of), p.Node, whyHere(pod, p.Cordon), wayOut(pod, p.Cordon), scaleDown(of), p.nextOne(of))
	return blocker
}

// scaleDown says how to have no such pods at all.
func scaleDown(of returns.Controller) string {
	if strings.HasPrefix(of.Object, "Pod/") {
		return "stop whatever creates them"
	}
	return "scale it down"
}

func cameSince(of returns.Controller) string {
	return fmt.Sprintf("%s of %s (since %s)", english.Plural(of.Times, "pod", ""), of.Object, clockTime(of.Since))
}

func (p *planner) nextOne(of returns.Controller) string {
	if p.Now.Before(of.Next) {
		return fmt.Sprintf("The next one is evicted at %s", clockTime(of.Next))
	}
	return "Another one may be evicted now"
}

func clockTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
