// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// podRecord is every pod that a pool's namespace ever had, as a watch showed them.
type podRecord struct {
	mu    sync.Mutex
	byUID map[types.UID]seenPod
	// present are those that have not gone.
	present map[types.UID]*corev1.Pod
	// leastHealthy is by app the least number of its pods that were healthy at a
	// time, since startBudgetCheck.
	leastHealthy map[string]int
}

// seenPod is what is remembered of a pod.
type seenPod struct {
	name, app, node string
	// started is the time when it was seen to run, zero before.
	started time.Time
	// deleted is the time when it was seen to have been deleted, zero before.
	deleted time.Time
	// grace is how many seconds it had to stop then.
	grace int64
}

func recordPods(t *testing.T, p *env.Pool) *podRecord {
	t.Helper()
	watched, err := p.Kube.CoreV1().Pods(p.Name).Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("could not watch pods: %v", err)
	}
	r := &podRecord{byUID: map[types.UID]seenPod{}, present: map[types.UID]*corev1.Pod{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range watched.ResultChan() {
			if pod, isPod := event.Object.(*corev1.Pod); isPod {
				r.take(event.Type, pod)
			}
		}
	}()
	t.Cleanup(func() {
		select {
		case <-ended:
			t.Error("the watch of pods ended before the test did, so not every pod was seen")
		default:
		}
		watched.Stop()
		<-ended
	})
	return r
}

func (r *podRecord) take(event watch.EventType, pod *corev1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.byUID[pod.UID]
	seen.name, seen.app = pod.Name, pod.Labels[localcluster.AppLabel]
	if pod.Spec.NodeName != "" {
		seen.node = pod.Spec.NodeName
	}
	if seen.started.IsZero() && pod.Status.Phase != corev1.PodPending {
		seen.started = time.Now()
	}
	if seen.deleted.IsZero() && !pod.DeletionTimestamp.IsZero() {
		seen.deleted = time.Now()
		if pod.DeletionGracePeriodSeconds != nil {
			seen.grace = *pod.DeletionGracePeriodSeconds
		}
	}
	r.byUID[pod.UID] = seen
	r.present[pod.UID] = pod
	if event == watch.Deleted {
		delete(r.present, pod.UID)
	}
	for app, least := range r.leastHealthy {
		r.leastHealthy[app] = min(least, r.healthy(app))
	}
}

// healthy counts the pods of an app as the disruption controller does. The
// caller holds the lock.
func (r *podRecord) healthy(app string) int {
	count := 0
	for _, pod := range r.present {
		if pod.Labels[localcluster.AppLabel] == app && pod.DeletionTimestamp.IsZero() && podReady(pod) {
			count++
		}
	}
	return count
}

// countHealthy begins to note how few pods of an app are healthy at a time.
func (r *podRecord) countHealthy(app string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leastHealthy == nil {
		r.leastHealthy = map[string]int{}
	}
	r.leastHealthy[app] = r.healthy(app)
}

// least is how few pods of an app were healthy at a time since countHealthy.
func (r *podRecord) least(app string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leastHealthy[app]
}

// seen is what is known of a pod; false when it was never seen. It waits for a pod that is not known, since a
// watch may be behind the requests about its pods.
func (r *podRecord) seen(uid types.UID) (pod seenPod, found bool) {
	// Not the test's context: this is asked at the test's end, too.
	err := wait.PollUntilContextTimeout(context.Background(), 100*time.Millisecond, env.Timeout, true, func(context.Context) (bool, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		pod, found = r.byUID[uid]
		return found || uid == "", nil
	})
	return pod, found && err == nil
}

// on returns the pods that ever were on a node, by UID.
func (r *podRecord) on(node string) map[types.UID]seenPod {
	r.mu.Lock()
	defer r.mu.Unlock()
	pods := map[types.UID]seenPod{}
	for uid, pod := range r.byUID {
		if pod.node == node {
			pods[uid] = pod
		}
	}
	return pods
}

func podReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// deleted counts the pods that were deleted by whomever.
func (r *podRecord) deleted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := 0
	for _, pod := range r.byUID {
		if !pod.deleted.IsZero() {
			count++
		}
	}
	return count
}
