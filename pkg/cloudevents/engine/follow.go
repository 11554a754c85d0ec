// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// everything is the key of the queue that has all events visited. No event has it as its name.
const everything = ""

// settles is the time after which an event is visited whose hold has changed in words alone, since pods leave one by one.
const settles = 2 * time.Second

// follow has events visited when something changes that they depend on, until unfollow is called.
func (t *term) follow(ctx context.Context) (unfollow func(), err error) {
	var stops []func()
	unfollow = func() {
		for _, stop := range stops {
			stop()
		}
	}
	hasSynced, stop, err := workloop.Follow(t.events, t.eventChanged)
	if err != nil {
		return unfollow, fmt.Errorf("could not follow scheduled events: %w", err)
	}
	stops = append(stops, stop)
	for _, follow := range []func() (func(), error){
		func() (func(), error) { return t.config.Cluster.FollowNodes(t.nodeChanged) },
		func() (func(), error) { return t.config.Cluster.FollowHolds(t.holdChanged) },
		func() (func(), error) { return t.config.Policies.FollowPolicies(func() { t.queue.Add(everything) }) },
	} {
		stop, err := follow()
		if err != nil {
			return unfollow, err
		}
		stops = append(stops, stop)
	}
	cache.WaitForCacheSync(ctx.Done(), hasSynced)
	return unfollow, nil
}

// eventChanged has an event visited that is new, or was written by others, and those that wait for it. When the last one
// is gone, the term ends.
func (t *term) eventChanged(before, after any) {
	old, _ := before.(*v1beta1.ScheduledEvent)
	event, exists := after.(*v1beta1.ScheduledEvent)
	gauge(old, event)
	if !exists {
		t.latest.Gone(old.Name, old.UID)
		t.notes.forget(old.Name)
		t.wakeOthers(old)
		if workloop.IsIdle(t.events) {
			t.idle()
		}
		return
	}
	if old != nil && decision.OtherOf(old, nil) != decision.OtherOf(event, nil) {
		t.wakeOthers(event)
	}
	if !t.latest.Knows(event) || old == nil {
		t.queue.Add(event.Name)
	}
}

// wakeOthers has those events visited that an event may have kept waiting: those of its node, and those of the control
// plane, which go one at a time and after the others.
func (t *term) wakeOthers(event *v1beta1.ScheduledEvent) {
	for _, other := range t.all() {
		if other.Name == event.Name || decision.Ended(other) {
			continue
		}
		sameNode := event.Status.NodeName != "" && other.Status.NodeName == event.Status.NodeName
		if sameNode || controlplane.Member(t.node(other.Status.NodeName)) {
			t.queue.Add(other.Name)
		}
	}
}

// wakeAll has all events visited that have not ended.
func (t *term) wakeAll() { t.wakeIf(func(*v1beta1.ScheduledEvent) bool { return true }) }

func (t *term) wakeIf(concerns func(*v1beta1.ScheduledEvent) bool) {
	for _, event := range t.all() {
		if !decision.Ended(event) && concerns(event) {
			t.queue.Add(event.Name)
		}
	}
}

// nodeChanged has the events of a node visited, and those that have no node, or may mean another one now.
func (t *term) nodeChanged(before, after *corev1.Node) {
	switch {
	case before == nil, after == nil, before.UID != after.UID, before.Spec.ProviderID != after.Spec.ProviderID:
		t.queue.Add(everything)
	case !maps.Equal(before.Labels, after.Labels), before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID,
		!apiequality.Semantic.DeepEqual(readyOf(before), readyOf(after)):
		t.wakeIf(func(event *v1beta1.ScheduledEvent) bool { return event.Status.NodeName == after.Name })
	}
}

// readyOf tells since when the node is Ready, or not. Heartbeats do not change it.
func readyOf(node *corev1.Node) corev1.NodeCondition {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return corev1.NodeCondition{Status: condition.Status, LastTransitionTime: condition.LastTransitionTime}
		}
	}
	return corev1.NodeCondition{}
}

// isReady says whether a node exists and is Ready.
func (t *term) isReady(name string) bool {
	node := t.node(name)
	return node != nil && readyOf(node).Status == corev1.ConditionTrue
}

// holdChanged has the event visited that a hold belongs to.
func (t *term) holdChanged(before, after *v1beta1.NodeMaintenance) {
	changed := after
	if changed == nil {
		changed = before
	}
	name, isOurs := strings.CutPrefix(changed.Spec.Requestor, v1beta1.EventRequestor)
	switch {
	case !isOurs:
	case before == nil || after == nil || before.UID != after.UID || before.Generation != after.Generation || far(before) != far(after):
		t.queue.Add(name)
	default:
		t.queue.AddAfter(name, settles)
	}
}

// far tells how far a hold is, without words.
func far(hold *v1beta1.NodeMaintenance) string {
	far := fmt.Sprint(hold.DeletionTimestamp.IsZero(), hold.Status.NodeUID, hold.Status.ObservedGeneration, hold.Status.Phase)
	for _, condition := range hold.Status.Conditions {
		far += fmt.Sprintln(condition.Type, condition.Status, condition.Reason, condition.ObservedGeneration)
	}
	return far
}

// node returns a node, from memory; nil if there is none, or none is known.
func (t *term) node(name string) *corev1.Node {
	if name == "" {
		return nil
	}
	node, err := t.config.Cluster.Node(name)
	if err != nil {
		return nil
	}
	return node
}
