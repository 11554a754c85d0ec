// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubectl/pkg/util/podutils"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/replicas"
)

const (
	// counted is how old what the drainer knows of its replicas may be; countedLate, where requests fail.
	counted     = 6 * time.Second
	countedLate = 45 * time.Second
	// posting is how long after it was posted an eviction may be carried out, as far as the drainer knows.
	posting = 40 * time.Second
	// early is how long a new leader evicts no pod of ours.
	early = 40 * time.Second
)

// choosePod has the next drainer run in one of its pods, if there is one that is to stay.
func (w *world) choosePod() {
	if w.ours == nil || (w.config.Server.Pod.Name != "" && !w.ownPodGoes()) {
		return
	}
	for _, pod := range drainertest.All[*corev1.Pod](w.store) {
		if w.isOwnPod(pod) && pod.DeletionTimestamp.IsZero() {
			w.config.Server = replicas.Of(pod)
			w.trace("the drainer is to run in pod %s", pod.UID)
			return
		}
	}
}

// ownPodGoes says whether the pod that the drainer runs in is gone, or is to go.
func (w *world) ownPodGoes() bool {
	pod := w.livePod(w.config.Server.Pod)
	return w.ours != nil && (pod == nil || !pod.DeletionTimestamp.IsZero())
}

func (w *world) isOwnPod(pod *corev1.Pod) bool {
	return w.ours != nil && w.pods[pod.UID].app == w.ours && !isOver(pod)
}

// ownPodPosted checks that a pod of ours goes after all others of its node, and is not the last that is
// ready.
func (c *modelCheck) ownPodPosted(pod *corev1.Pod) {
	if !c.isOwnPod(pod) {
		return
	}
	c.saw["eviction of our own pod"]++
	if other := c.leavesLater(pod, c.recent()); other != nil {
		c.fail("our own pod %s is posted before %s", pod.UID, other.UID)
	}
	if led := time.Since(c.restartedAt); led < early {
		c.fail("our own pod %s is posted %s after a new leader was to begin", pod.UID, led)
	}
	if !c.standsIn(pod) {
		c.fail("our own pod %s is posted, and no other one is ready", pod.UID)
	}
	c.pods[pod.UID].posted = time.Now()
}

// leavesLater is a pod of others that is to leave the node of our own pod, and has not yet; nil when there
// is none that the drainer must know.
func (w *world) leavesLater(own *corev1.Pod, recent time.Time) *corev1.Pod {
	for _, hold := range w.draining(own.Spec.NodeName, recent) {
		if !hold.until.IsZero() || !hold.from.Before(recent) {
			continue
		}
		for _, pod := range w.podsOn(own.Spec.NodeName) {
			if !w.isOwnPod(pod) && w.wishOf(hold.NodeMaintenance, pod).goes && w.pods[pod.UID].changed.Before(recent) {
				return pod
			}
		}
	}
	return nil
}

// standsIn says whether another pod of ours is ready that the drainer has not had evicted, or was a short
// time ago.
func (c *modelCheck) standsIn(pod *corev1.Pod) bool {
	window := counted
	if c.faults.requests > 0 {
		window = countedLate
	}
	since := c.recent().Add(-window)
	for uid, record := range c.pods {
		posted := !record.posted.IsZero() && time.Since(record.posted) < posting
		if record.app != c.ours || uid == pod.UID || !record.accepted.IsZero() || posted {
			continue
		}
		if c.isReady(uid) || record.changed.After(since) || record.terminating.After(since) || record.ended.After(since) {
			return true
		}
	}
	return false
}

// isReady says whether the pod is ready and not being deleted.
func (w *world) isReady(uid types.UID) bool {
	pod := w.livePod(w.pods[uid].name)
	return pod != nil && pod.UID == uid && pod.DeletionTimestamp.IsZero() && podutils.IsPodReady(pod) && !isOver(pod)
}

// ownPodStuck says why one of our own pods cannot leave although others could; empty when it could.
func (w *world) ownPodStuck(pod *corev1.Pod) string {
	if w.leavesLater(pod, time.Now()) != nil {
		return "others leave first"
	}
	for uid, record := range w.pods {
		if record.app == w.ours && uid != pod.UID && w.isReady(uid) && !w.isToLeave(w.livePod(record.name)) {
			return ""
		}
	}
	return "no other of our own pods is ready"
}

// isToLeave says whether a hold evicts the pod.
func (w *world) isToLeave(pod *corev1.Pod) bool {
	for _, hold := range w.draining(pod.Spec.NodeName, time.Now()) {
		if hold.until.IsZero() && w.wishOf(hold.NodeMaintenance, pod).goes {
			return true
		}
	}
	return false
}
