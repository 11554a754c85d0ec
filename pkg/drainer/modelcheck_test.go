// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// modelCheck checks each request of the drainer when it is made. What the drainer cannot have
// heard of yet, because its watches lag, is not held against it.
type modelCheck struct {
	*world
	// broken is what went wrong first.
	broken string
	// roomLostAt is the time when somebody else took room of a budget, or had it be evaluated anew.
	roomLostAt map[types.NamespacedName]time.Time
	// restartedAt is the time when the drainer that runs now was about to start; zero for the first.
	restartedAt time.Time
	// calmAt is the time when requests stopped to fail.
	calmAt time.Time
	// returns are the evictions of pods that came back to their home.
	returns map[*modelApp]*modelReturns
	// saw counts what happened, to show that the model tries what it says.
	saw map[string]int
}

func newModelCheck(w *world) *modelCheck {
	return &modelCheck{
		world: w, roomLostAt: map[types.NamespacedName]time.Time{}, saw: map[string]int{}, returns: map[*modelApp]*modelReturns{},
	}
}

func (c *modelCheck) fail(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	c.trace("BROKEN: %s", message)
	if c.broken == "" {
		c.broken = message
	}
}

// recent is the time since which the drainer may have heard of nothing.
func (c *modelCheck) recent() time.Time { return time.Now().Add(-c.faults.lag) }

// evictionPosted checks an eviction that the drainer is about to post.
func (c *modelCheck) evictionPosted(eviction *policyv1.Eviction) {
	c.saw["eviction"]++
	pod := c.target("eviction", types.NamespacedName{
		Namespace: eviction.Namespace, Name: eviction.Name,
	}, eviction.DeleteOptions)
	if pod == nil {
		return
	}
	if len(c.oldBudgetsFor(pod)) > 1 && !drainertest.IgnoredByBudgets(pod) && c.pods[pod.UID].changed.Before(c.recent()) {
		c.fail("pod %s of two budgets is posted", pod.UID)
	}
	wanted, inTurn := false, false
	var longest *int64
	exact := true
	for _, hold := range c.draining(pod.Spec.NodeName, c.recent()) {
		exact = exact && hold.until.IsZero() && hold.from.Before(c.recent())
		if !c.wishOf(hold.NodeMaintenance, pod).evicts() {
			continue
		}
		wanted = true
		if c.isTurn(hold.NodeMaintenance, pod, c.recent()) {
			inTurn = true
			longest = longerOf(longest, hold.Spec.Drain.GracePeriodSeconds)
		}
	}
	switch given := eviction.DeleteOptions.GracePeriodSeconds; {
	case !wanted:
		c.fail("pod %s is posted, and no hold on %s evicts it", pod.UID, pod.Spec.NodeName)
	case !inTurn:
		c.fail("pod %s is posted before its turn", pod.UID)
	case exact && c.quietSince(pod.Spec.NodeName) && seconds(given) != seconds(longest):
		c.fail("pod %s gets grace period %s, want %s", pod.UID, seconds(given), seconds(longest))
	}
}

// oldBudgetsFor are the pod's budgets that the drainer must know.
func (c *modelCheck) oldBudgetsFor(pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	return slices.DeleteFunc(c.server.BudgetsFor(pod), func(pdb *policyv1.PodDisruptionBudget) bool {
		return !c.roomLostAt[drainertest.KeyOf(pdb)].Before(c.recent())
	})
}

// quietSince says that no pod of the node changed so recently that the drainer may not know.
func (c *modelCheck) quietSince(node string) bool {
	for _, record := range c.pods {
		ended := !record.ended.IsZero() && !record.ended.Before(c.recent())
		if record.node == node && (ended || !record.changed.Before(c.recent())) {
			return false
		}
	}
	return true
}

func longerOf(a, b *int64) *int64 {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

func seconds(s *int64) string {
	if s == nil {
		return "default"
	}
	return fmt.Sprint(*s)
}

// deletionPosted checks a deletion that the drainer is about to make.
func (c *modelCheck) deletionPosted(key types.NamespacedName, options *metav1.DeleteOptions) {
	if given := options.GracePeriodSeconds; given != nil && *given == 0 {
		c.removalPosted(key, options)
		return
	}
	c.saw["deletion"]++
	pod := c.target("deletion", key, options)
	if pod == nil {
		return
	}
	asked := firstNonNil(options.GracePeriodSeconds, pod.Spec.TerminationGracePeriodSeconds)
	if asked != nil && *asked < 1 {
		c.fail("pod %s is deleted with grace period %d", pod.UID, *asked)
	}
	if !c.deletes(pod) {
		c.fail("pod %s is deleted, and no hold on %s deletes it now", pod.UID, pod.Spec.NodeName)
	}
}

// deletes says whether a hold deletes the pod now.
func (c *modelCheck) deletes(pod *corev1.Pod) bool {
	return slices.ContainsFunc(c.draining(pod.Spec.NodeName, c.recent()), func(hold holdVersion) bool {
		wish := c.wishOf(hold.NodeMaintenance, pod)
		return wish.goes && !wish.blocked && c.pastDeadline(hold)
	})
}

// removalPosted checks the deletion without a grace period of a pod that should have stopped long ago.
func (c *modelCheck) removalPosted(key types.NamespacedName, options *metav1.DeleteOptions) {
	c.saw["removal"]++
	pod := c.livePod(key)
	if pod == nil || options.Preconditions == nil || pod.UID != *options.Preconditions.UID {
		return // it is gone, or the request is refused
	}
	switch {
	case pod.DeletionTimestamp.IsZero() || time.Since(pod.DeletionTimestamp.Time) < 30*time.Second:
		c.fail("pod %s is removed, and its grace period is not over for long", pod.UID)
	case c.isOwnPod(pod):
		c.fail("our own pod %s is removed", pod.UID)
	case !c.deletes(pod):
		c.fail("pod %s is removed, and no hold on %s deletes it now", pod.UID, pod.Spec.NodeName)
	}
}

func firstNonNil(a, b *int64) *int64 {
	if a != nil {
		return a
	}
	return b
}

// pastDeadline says whether the hold deletes what is left. Its drain cannot have begun before it
// was created, nor before its status says so.
func (c *modelCheck) pastDeadline(hold holdVersion) bool {
	timeout := hold.Spec.Drain.TimeoutSeconds
	if timeout == nil || hold.Spec.Drain.OnTimeout != v1beta1.OnTimeoutDelete {
		return false
	}
	begun := hold.CreationTimestamp.Truncate(time.Second)
	if now := c.storedHold(hold.UID); now != nil && now.Status.StartTime != nil && now.Status.StartTime.After(begun) {
		begun = now.Status.StartTime.Time
	}
	return !time.Now().Before(begun.Add(time.Duration(*timeout) * time.Second))
}

// target checks that a request names a pod, that this one may be evicted or deleted at all, and
// that it has not been already.
func (c *modelCheck) target(what string, key types.NamespacedName, options *metav1.DeleteOptions) *corev1.Pod {
	if options == nil || options.Preconditions == nil || options.Preconditions.UID == nil {
		c.fail("%s of %s names no UID", what, key)
		return nil
	}
	uid := *options.Preconditions.UID
	record := c.pods[uid]
	if record == nil || record.name != key {
		c.fail("%s of %s is for UID %s, which it never had", what, key, uid)
		return nil
	}
	c.trace("%s of %s (%s) on %s is posted", what, key, uid, record.node)
	pod := c.livePod(key)
	gone := pod == nil || pod.UID != uid
	switch {
	case !record.accepted.IsZero():
		c.fail("%s of %s, which was accepted at %s", what, uid, record.accepted.Sub(c.began))
	case gone && record.ended.Before(c.recent()):
		c.fail("%s of %s, which is gone since %s", what, uid, record.ended.Sub(c.began))
	case !gone && !record.terminating.IsZero() && record.terminating.Before(c.recent()):
		c.fail("%s of %s, which is terminating since %s", what, uid, record.terminating.Sub(c.began))
	case gone:
		c.saw["pod gone before it is posted"]++
	default:
		c.returnPosted(pod)
		c.ownPodPosted(pod)
		return pod
	}
	return nil
}

// answered counts what requests come to.
func (c *modelCheck) answered(uid types.UID, answer error) {
	c.trace("request for %s is answered: %v", uid, answer)
	c.saw["answer "+string(apierrors.ReasonForError(answer))]++
}

// roomLost notes that a budget may have less room than the drainer knows, and that it was not
// the drainer who took it.
func (c *modelCheck) roomLost(key types.NamespacedName) { c.roomLostAt[key] = time.Now() }

// refusedByBudget checks a refusal: the drainer posts nothing that it can see refused.
func (c *modelCheck) refusedByBudget(pod *corev1.Pod, pdb *policyv1.PodDisruptionBudget, posted time.Time) {
	since := posted.Add(-c.faults.lag)
	lost, isLost := c.roomLostAt[drainertest.KeyOf(pdb)]
	switch {
	case isLost && !lost.Before(since):
		c.saw["refused for another's sake"]++
	case !c.pods[pod.UID].changed.Before(since) || !podutils.IsPodReady(pod):
		c.saw["refused since the pod changed"]++
	default:
		c.fail("pod %s is refused by budget %s, whose room nobody else took: allowed %d, disrupted %v",
			pod.UID, pdb.Name, pdb.Status.DisruptionsAllowed, pdb.Status.DisruptedPods)
	}
}

// restarted forgets what only the last process could know.
func (c *modelCheck) restarted() {
	c.saw["restart"]++
	c.restartedAt = time.Now()
	for _, record := range c.holds {
		record.emptyAt = map[int64]time.Time{}
	}
	// Room that the last process took is another's, for the next one.
	for _, pdb := range drainertest.All[*policyv1.PodDisruptionBudget](c.store) {
		c.roomLost(drainertest.KeyOf(pdb))
	}
}

// listed notes what a list, which shows all there is, says of the holds of a node.
func (c *modelCheck) listed(pods *corev1.PodList, selector fields.Selector) {
	node, ofOne := selector.RequiresExactMatch("spec.nodeName")
	if !ofOne {
		return
	}
	for _, hold := range c.draining(node, c.recent()) {
		left := false
		for i := range pods.Items {
			left = left || c.wishOf(hold.NodeMaintenance, &pods.Items[i]).goes
		}
		if !left {
			c.holds[hold.UID].emptyAt[hold.Generation] = time.Now()
		}
	}
}

// statusWritten checks what the drainer says of a hold.
func (c *modelCheck) statusWritten(old, next *v1beta1.NodeMaintenance) {
	was, is := old.Status, next.Status
	before, progress := ptr.Deref(was.DrainProgress, 0), ptr.Deref(is.DrainProgress, 0)
	c.trace("status of %s: %s %d%% start=%s pending=%v drained=%t", next.Name, is.Phase, progress,
		is.StartTime, is.PendingPods, holdstatus.Drained(is))
	switch {
	case (is.DrainProgress != nil) != (next.Spec.Stage == v1beta1.StageDrain) && is.ObservedGeneration == next.Generation:
		c.fail("progress of %s, whose stage is %s, is %v", next.Name, next.Spec.Stage, is.DrainProgress)
	case progress < 0 || progress > 100:
		c.fail("progress of %s is %d", next.Name, progress)
	case progress < before && !c.anew(next.UID, was, is):
		c.fail("progress of %s runs backwards from %d to %d", next.Name, before, progress)
	case progress == 100 && !holdstatus.Drained(is):
		c.fail("progress of %s is 100, and it is not drained", next.Name)
	}
	if most := c.podsSince(next); int(is.EvictionPods) > most && !c.guesses(next) {
		c.fail("the drain of %s counts %d pods, and there were %d", next.Name, is.EvictionPods, most)
	}
	c.drainedRightly(next, was, is)
	c.waitsRightly(next)
	c.deadlineStays(next, was, is)
	if !holdstatus.Drained(is) {
		clear(c.holds[next.UID].emptyAt) // what comes next is to be listed anew
	}
}

// longestRelist is how long client-go waits at most before it lists again what it could not list.
const longestRelist = 30 * time.Second

// settled checks what holds say between the drainer's requests. Where requests fail, or the drainer
// has just started, it may not have been able to say better.
func (c *modelCheck) settled() {
	late := c.recent().Add(-3 * time.Second)
	if (c.faults.requests > 0 && (c.faults.on || c.calmAt.Add(longestRelist).After(late))) || c.restartedAt.After(late) {
		return
	}
	for _, hold := range c.activeHolds() {
		versions := c.holds[hold.UID].versions
		if hold.Spec.Stage != v1beta1.StageDrain || !holdstatus.Drained(hold.Status) || versions[len(versions)-1].from.After(late) {
			continue
		}
		for _, pod := range c.podsOn(hold.Spec.NodeName) {
			if c.wishOf(hold, pod).goes && c.pods[pod.UID].changed.Before(late) {
				c.fail("hold %s says drained, and pod %s is on its node for long", hold.Name, pod.UID)
			}
		}
	}
}

// podsSince is how many pods have been on the node since the drain of the hold began.
func (c *modelCheck) podsSince(hold *v1beta1.NodeMaintenance) int {
	if hold.Status.StartTime == nil {
		return 0
	}
	count, since := 0, hold.Status.StartTime.Add(-c.faults.lag)
	for _, record := range c.pods {
		if record.node == hold.Spec.NodeName && (record.ended.IsZero() || !record.ended.Before(since)) {
			count++
		}
	}
	return count
}

// guesses says whether the drainer cannot know how many pods the drain moves: after a restart it
// knows numbers of pods only, and those of another spec.
func (c *modelCheck) guesses(hold *v1beta1.NodeMaintenance) bool {
	versions, begun := c.holds[hold.UID].versions, hold.Status.StartTime.Time
	return c.restartedAt.After(begun) && versions[len(versions)-1].from.After(begun)
}

// drainedRightly checks that a fresh list has shown the node empty.
func (c *modelCheck) drainedRightly(hold *v1beta1.NodeMaintenance, was, is v1beta1.NodeMaintenanceStatus) {
	if !holdstatus.Drained(is) || (holdstatus.Drained(was) && was.ObservedGeneration == is.ObservedGeneration) {
		return
	}
	c.saw["drained"]++
	if c.holds[hold.UID].emptyAt[is.ObservedGeneration].IsZero() {
		c.fail("hold %s says drained, and no list has shown it", hold.Name)
	}
}

// deadlineStays checks that a drain under way keeps its start.
func (c *modelCheck) deadlineStays(hold *v1beta1.NodeMaintenance, was, is v1beta1.NodeMaintenanceStatus) {
	if was.StartTime != nil && is.StartTime != nil && !was.StartTime.Equal(is.StartTime) && !c.anew(hold.UID, was, is) {
		c.fail("the drain of %s begins at %s once more, after %s", hold.Name, is.StartTime, was.StartTime)
	}
}

// anew says whether the status may speak of another drain than before. That the last one was done,
// or called off, may never have been said, when statuses could not be written.
func (c *modelCheck) anew(hold types.UID, was, is v1beta1.NodeMaintenanceStatus) bool {
	if was.StartTime == nil || is.StartTime == nil || holdstatus.Drained(was) || was.NodeUID != is.NodeUID {
		return true
	}
	record := c.holds[hold]
	since := was.StartTime.Time
	empty := slices.Collect(maps.Values(record.emptyAt))
	return !record.resumed.Before(since) || slices.ContainsFunc(empty, func(at time.Time) bool {
		return !at.Before(since)
	})
}
