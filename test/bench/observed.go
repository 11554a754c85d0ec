// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/kubectl/pkg/util/podutils"
)

// pod takes in what became of a pod. The caller holds the lock.
func (o *observer) pod(kind watch.EventType, pod *corev1.Pod) {
	before := o.pods[pod.UID]
	leaving := pod.DeletionTimestamp != nil
	now := podState{node: pod.Spec.NodeName, app: pod.Labels[appLabel], healthy: !leaving && podutils.IsPodReady(pod), leaving: leaving}
	if kind == watch.Deleted {
		delete(o.pods, pod.UID)
		now = podState{app: now.app, leaving: true}
	} else {
		o.pods[pod.UID] = now
	}
	if before.node != now.node {
		o.moved(before.node, -1)
		o.moved(now.node, 1)
	}
	if now.leaving && !before.leaving {
		o.left++
	}
	if leaving && o.deleted[pod.Spec.NodeName].IsZero() {
		o.deleted[pod.Spec.NodeName] = time.Now()
	}
	if before.healthy != now.healthy {
		o.count(now.app, now.healthy)
	}
}

func (o *observer) moved(node string, by int) {
	if node == "" {
		return
	}
	o.onNode[node] += by
	if o.onNode[node] == 0 {
		o.emptied[node] = time.Now()
	}
}

// count takes in that an app has one healthy pod more or less. A budget is
// broken when it was met before and is not met after.
func (o *observer) count(app string, more bool) {
	if more {
		o.healthy[app]++
		return
	}
	o.healthy[app]--
	if o.healthy[app] == o.desired[app]-1 {
		o.broken++
	}
}

// budget takes in the status of a budget. The caller holds the lock.
func (o *observer) budget(budget *policyv1.PodDisruptionBudget) {
	before, known := o.room[budget.Name]
	now := budget.Status.DisruptionsAllowed
	o.room[budget.Name] = now
	if known && before == 0 && now > 0 {
		o.freed[budget.Name] = append(o.freed[budget.Name], time.Now())
	}
}

// emptiedAt is the time when each of the nodes was empty for good, and the last of them.
func (o *observer) emptiedAt(nodes []string) (each []time.Time, last time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, node := range nodes {
		at := o.emptied[node]
		each = append(each, at)
		if at.After(last) {
			last = at
		}
	}
	return each, last
}

// deletedAt is the time when the first pod of the node was asked to go; zero if none was.
func (o *observer) deletedAt(node string) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.deleted[node]
}

// outcome is how often a budget was broken, and when each let a pod go again.
func (o *observer) outcome() (broken int, freed map[string][]time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken, o.freed
}

// leftCount is how many pods were asked to go, and how often a budget was broken.
func (o *observer) leftCount() (left, broken int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left, o.broken
}

// podsOn is how many pods there are on the nodes.
func (o *observer) podsOn(nodes []string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	pods := 0
	for _, node := range nodes {
		pods += o.onNode[node]
	}
	return pods
}
