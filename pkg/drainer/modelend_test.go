// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// quiet is how long nothing must change until the world has come to rest: longer than the longest
// wait for another try, and than a budget counts on an eviction that it was told of.
const quiet = disruptedLasts + 40*time.Second

// calm has all that goes wrong stop, and about half of what pods wait for happen.
func (w *world) calm() {
	w.ending, w.faults.on, w.check.calmAt = true, false, time.Now()
	for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
		if node := w.liveNode(name); node == nil {
			w.createNode(name)
		} else if clusterwatch.NodeDead(node) {
			w.setNodeReady(node, corev1.ConditionTrue)
		}
	}
	completes, released := w.chance(50), w.chance(50)
	for _, app := range w.apps {
		app.finalizer = app.finalizer && !released
	}
	for _, pod := range drainertest.All[*corev1.Pod](w.store) {
		if completes && !w.pods[pod.UID].app.mirror && pod.Labels[v1beta1.DrainLabel] == v1beta1.DrainLabelWaitCompleted {
			w.changePod(pod, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded })
		}
		if released {
			w.changePod(w.livePod(drainertest.KeyOf(pod)), func(pod *corev1.Pod) { pod.Finalizers = nil })
		}
	}
	if w.admission != nil {
		w.admission.calm()
	}
	w.trace("all is calm")
}

// rest lets time pass until nothing changes any more.
func (w *world) rest() {
	version, since := 0, time.Now()
	for time.Since(since) < quiet && w.check.broken == "" {
		time.Sleep(time.Second + time.Since(since)/4)
		w.settle()
		w.locked(func() {
			w.check.settled()
			w.tick()
			if w.store.Version() != version {
				version, since = w.store.Version(), time.Now()
			}
			if time.Since(w.began) > 2*time.Hour {
				w.check.fail("the world comes to no rest")
			}
		})
	}
}

// checkEnd checks that everything that can be given has been given.
func (w *world) checkEnd() {
	for _, hold := range drainertest.All[*v1beta1.NodeMaintenance](w.store) {
		if !hold.DeletionTimestamp.IsZero() {
			w.check.fail("hold %s is deleted and has not ended: %s", hold.Name, hold.Status.LastError)
			continue
		}
		w.checkHold(hold)
	}
	for name, record := range w.nodes {
		w.checkNode(w.liveNode(name), record.wanted)
	}
}

func (w *world) checkHold(hold *v1beta1.NodeMaintenance) {
	if w.effective(hold) != hold.Spec.Stage {
		w.checkWaiting(hold)
		return
	}
	want := v1beta1.PhaseSucceeded
	switch hold.Spec.Stage {
	case v1beta1.StageIdle:
		want = v1beta1.PhasePending
	case v1beta1.StageDrain:
		left := slices.DeleteFunc(w.podsOn(hold.Spec.NodeName),
			func(pod *corev1.Pod) bool { return !w.wishOf(hold, pod).goes })
		if len(left) > 0 {
			w.checkLeft(hold, left)
			return
		}
		if !holdstatus.Drained(hold.Status) || ptr.Deref(hold.Status.DrainProgress, 0) != 100 {
			w.check.fail("hold %s has nothing left and is not drained: %+v", hold.Name, hold.Status)
		}
		w.checkSkipped(hold)
	}
	if hold.Status.Phase != want || hold.Status.ObservedGeneration != hold.Generation || hold.Status.LastError != "" {
		w.check.fail("hold %s ends as %+v, want %s", hold.Name, hold.Status, want)
	}
}

// checkSkipped checks that a hold whose drain is done says how many pods run on that it left on the node.
func (w *world) checkSkipped(hold *v1beta1.NodeMaintenance) {
	left := slices.DeleteFunc(w.podsOn(hold.Spec.NodeName), func(pod *corev1.Pod) bool { return !w.drainable(pod) || isOver(pod) })
	if int(hold.Status.SkippedPodCount) != len(left) {
		w.check.fail("hold %s says that it left %d pods on its node, want %d", hold.Name, hold.Status.SkippedPodCount, len(left))
	}
	if reason := holdstatus.ConditionReason(hold.Status, v1beta1.ConditionDrained); (reason == v1beta1.ReasonNodeEmpty) != (len(left) == 0) {
		w.check.fail("hold %s is drained for %s, and left %d pods", hold.Name, reason, len(left))
	}
}

// checkLeft checks a hold whose pods have not all left: each must have a reason, and be told of.
func (w *world) checkLeft(hold *v1beta1.NodeMaintenance, left []*corev1.Pod) {
	w.check.saw["ends with pods left"]++
	status := hold.Status
	late := status.Deadline != nil && !time.Now().Before(status.Deadline.Time)
	if want := map[bool]v1beta1.MaintenancePhase{
		true: v1beta1.PhaseFailed, false: v1beta1.PhaseRunning,
	}[late]; status.Phase != want || holdstatus.Drained(status) {
		w.check.fail("hold %s with %d pods left is %+v, want %s", hold.Name, len(left), status, want)
	}
	var pending []string
	for _, pod := range left {
		pending = append(pending, drainertest.KeyOf(pod).String())
		if stuck := w.stuck(pod); stuck == "" {
			w.check.fail("pod %s (%s) is left on %s for no reason: %s", drainertest.KeyOf(pod).String(), pod.UID, hold.Spec.NodeName,
				w.state(pod))
		} else if blocker := blockerFor(status, pod); blocker == nil && w.isBlocked(hold, pod) {
			w.check.fail("pod %s (%s) is stuck (%s), and hold %s does not say so: %+v", drainertest.KeyOf(pod).String(), pod.UID, stuck,
				hold.Name, status.Blockers)
		}
	}
	if !slices.Equal(pending, status.PendingPods) || int(status.PendingPodCount) != len(left) {
		w.check.fail("hold %s says that %v are left, want %v", hold.Name, status.PendingPods, pending)
	}
}

// isBlocked says whether something keeps the pod that is not only the turn of others.
func (w *world) isBlocked(hold *v1beta1.NodeMaintenance, pod *corev1.Pod) bool {
	if w.isOwnPod(pod) && w.leavesLater(pod, time.Now()) != nil {
		return false
	}
	return w.isTurn(hold, pod, time.Now()) || w.wishOf(hold, pod).waits
}

func blockerFor(status v1beta1.NodeMaintenanceStatus, pod *corev1.Pod) *v1beta1.DrainBlocker {
	i := slices.IndexFunc(status.Blockers, func(b v1beta1.DrainBlocker) bool { return b.Pod == drainertest.KeyOf(pod).String() })
	if i < 0 {
		return nil
	}
	return &status.Blockers[i]
}

// stuck says why a pod cannot leave; empty when it could.
func (w *world) stuck(pod *corev1.Pod) string {
	if !pod.DeletionTimestamp.IsZero() {
		if len(pod.Finalizers) > 0 {
			return "finalizers"
		}
		return ""
	}
	if w.isOwnPod(pod) {
		if reason := w.ownPodStuck(pod); reason != "" {
			return reason
		}
	}
	var reasons []string
	for _, hold := range w.activeHolds() {
		if hold.Spec.NodeName != pod.Spec.NodeName || w.effective(hold) != v1beta1.StageDrain {
			continue
		}
		wish := w.wishOf(hold, pod)
		switch past := w.check.pastDeadline(holdVersion{NodeMaintenance: hold}); {
		case !wish.goes:
		case wish.blocked:
			reasons = append(reasons, "a policy")
		case past:
			return ""
		case wish.waits:
			reasons = append(reasons, "it has not run to its end")
		case !w.isTurn(hold, pod, time.Now()):
			reasons = append(reasons, "its turn has not come")
		case w.server.Refusal(pod) == nil:
			return ""
		default:
			reasons = append(reasons, "a budget")
		}
	}
	return strings.Join(reasons, ", ")
}

func (w *world) state(pod *corev1.Pod) string {
	words := fmt.Sprintf("phase %s, ready %t, deleted %s", pod.Status.Phase, podutils.IsPodReady(pod),
		pod.DeletionTimestamp)
	for _, pdb := range w.server.BudgetsFor(pod) {
		words += fmt.Sprintf("; %s allows %d, disrupted %v", pdb.Name, pdb.Status.DisruptionsAllowed,
			pdb.Status.DisruptedPods)
	}
	return words
}

// checkNode checks a node against what it is to be like while nobody holds it.
func (w *world) checkNode(node, wanted *corev1.Node) {
	held := slices.ContainsFunc(w.activeHolds(), func(h *v1beta1.NodeMaintenance) bool {
		return h.Spec.NodeName == node.Name && w.effective(h) != v1beta1.StageIdle
	})
	if planned := w.plannedAtTheEnd(node.Name) && !held; hasPlannedTaint(node) != planned || saysPlanned(node) != planned {
		w.check.fail("node %s is marked as planned: %t, want %t: %s", node.Name, !planned, planned, nodeWords(node))
	}
	if held {
		excluded := node.Labels[v1beta1.ExcludeFromRemediationLabel] == "true"
		if !node.Spec.Unschedulable || !nodemarks.Annotated(node) || !nodemarks.DrainTainted(node) || !excluded {
			w.check.fail("node %s is held and not cordoned: %+v %+v", node.Name, node.ObjectMeta, node.Spec)
		}
		for _, taint := range wanted.Spec.Taints {
			if !nodemarks.HasTaint(node.Spec.Taints, taint) {
				w.check.fail("node %s has lost the taint %s of another", node.Name, taint.Key)
			}
		}
		return
	}
	w.check.saw["given back"]++
	same := node.Spec.Unschedulable == wanted.Spec.Unschedulable &&
		len(nodemarks.NewMarks(drainertest.StoreID, nil).WithoutPlanned(node)) == len(wanted.Spec.Taints) &&
		labels.Equals(node.Labels, wanted.Labels) && len(node.Annotations) == 0 && !nodemarks.SaysInMaintenance(node)
	for _, taint := range wanted.Spec.Taints {
		same = same && nodemarks.HasTaint(node.Spec.Taints, taint)
	}
	if !same {
		w.check.fail("node %s is given back as %s, want %s", node.Name, nodeWords(node), nodeWords(wanted))
	}
}

func nodeWords(node *corev1.Node) string {
	var taints []string
	for _, taint := range node.Spec.Taints {
		taints = append(taints, taint.ToString())
	}
	return fmt.Sprintf("unschedulable=%t taints=%v labels=%v annotations=%v conditions=%d",
		node.Spec.Unschedulable, taints, node.Labels, node.Annotations, len(nodemarks.OurConditions(node)))
}
