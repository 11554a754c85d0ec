// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// wake puts NodeProfiles into the queue.
func (t *term) wake(names []string) {
	for _, name := range names {
		t.queue.Add(name)
	}
}

// follow has NodeProfiles visited when something changes that they depend on, until unfollow is called.
func (t *term) follow(ctx context.Context) (unfollow func(), err error) {
	var stops []func()
	unfollow = func() {
		for _, stop := range stops {
			stop()
		}
	}
	stopHolds, err := t.config.Holds.FollowHolds(t.holdChanged)
	if err != nil {
		return unfollow, fmt.Errorf("could not follow NodeMaintenances: %w", err)
	}
	stops = append(stops, stopHolds)
	var synced []cache.InformerSynced
	for _, followed := range []struct {
		informer cache.SharedIndexInformer
		changed  func(before, after any)
	}{{t.profiles, t.profileChanged}, {t.nodes, t.nodeChanged}, {t.nodeProfiles, t.nodeProfileChanged}} {
		hasSynced, stop, err := workloop.Follow(followed.informer, followed.changed)
		if err != nil {
			return unfollow, fmt.Errorf("could not follow a cache: %w", err)
		}
		stops, synced = append(stops, stop), append(synced, hasSynced)
	}
	cache.WaitForCacheSync(ctx.Done(), synced...)
	return unfollow, nil
}

// profileChanged has all nodes looked at that a profile is on, or may be on now.
func (t *term) profileChanged(before, after any) {
	old, _ := before.(*v1beta1.MaintenanceProfile)
	profile, exists := after.(*v1beta1.MaintenanceProfile)
	t.statuses.kick()
	if !exists {
		t.cluster.DeleteProfile(old.Name)
		t.room.forget(old.Name, profileOf)
		t.slow.forget(old.Name)
		t.wakeProfile(old.Name)
		return
	}
	if v1beta1.WhyUnreadable(profile) != "" {
		return // what it said stays
	}
	t.wake(t.cluster.SetProfile(profile))
	t.answers.Moved(profile.Name)
	if old != nil && old.UID == profile.UID && old.Generation == profile.Generation &&
		old.DeletionTimestamp.IsZero() == profile.DeletionTimestamp.IsZero() {
		return
	}
	t.vouchers.kick()
	t.wakeProfile(profile.Name)
	t.room.forget(profile.Name, profileOf)
	t.attachAll(profile)
}

func (t *term) wakeProfile(profile string) {
	for _, nodeProfile := range t.indexed(byProfile, profile) {
		t.queue.Add(nodeProfile.Name)
	}
}

// attachAll has the NodeProfiles created that a profile lacks.
func (t *term) attachAll(profile *v1beta1.MaintenanceProfile) {
	selector, err := selection.New(profile, t.config.Label)
	if err != nil {
		return // its status says so
	}
	for _, name := range slices.Sorted(slices.Values(t.nodes.GetStore().ListKeys())) { // so that it is the same nodes if not all find room
		if node := t.node(name); node != nil && selector.Selects(node) {
			t.mayAttach(v1beta1.NodeProfileSpec{NodeName: node.Name, Profile: profile.Name})
		}
	}
}

// nodeChanged has the profiles of a node looked at, if something has changed that says which ones it has, or that their
// checks ask for.
func (t *term) nodeChanged(before, after any) {
	old, _ := before.(*corev1.Node)
	node, exists := after.(*corev1.Node)
	if !exists {
		t.wake(t.cluster.DeleteNode(old.Name))
		t.room.forget(old.Name, nodeOf)
		t.wakeNode(old.Name)
		t.admitter.nodeMoved(old.Name)
		return
	}
	t.wake(t.cluster.SetNode(node))
	if old != nil {
		t.thereChanged(old, node)
		t.bootChanged(old, node)
	}
	if old != nil && old.UID == node.UID && maps.Equal(old.Labels, node.Labels) {
		return
	}
	t.wakeNode(node.Name)
	t.room.forget(node.Name, nodeOf)
	t.admitter.nodeMoved(node.Name)
	for _, object := range t.profiles.GetStore().List() {
		profile, _ := object.(*v1beta1.MaintenanceProfile)
		if selector, err := selection.New(profile, t.config.Label); err == nil && selector.Selects(node) {
			t.mayAttach(v1beta1.NodeProfileSpec{NodeName: node.Name, Profile: profile.Name})
		}
	}
}

func (t *term) wakeNode(node string) {
	for _, nodeProfile := range t.indexed(byNode, node) {
		t.queue.Add(nodeProfile.Name)
	}
}

// nodeProfileChanged has a NodeProfile looked at that is new, gone, or was written by others.
func (t *term) nodeProfileChanged(before, after any) {
	old, _ := before.(*v1beta1.NodeProfile)
	nodeProfile, exists := after.(*v1beta1.NodeProfile)
	t.statuses.kick()
	if !exists {
		t.latest.Gone(old.Name, old.UID)
		t.written.forget(old.Name)
		t.wake(t.cluster.DeleteNodeProfile(old))
		t.answers.Forget(old)
		t.answers.Moved(old.Spec.Profile)
		t.room.gone(t, old.Name)
		t.mayAttach(old.Spec) // the profile may select the node again
		t.admitter.forget(old.Name)
		t.kept.forget(old.Name)
		return
	}
	t.room.exists(nodeProfile.Name)
	if v1beta1.WhyUnreadable(nodeProfile) != "" {
		return // where the node was counts for others
	}
	for _, name := range t.cluster.SetNodeProfile(nodeProfile) {
		t.queue.AddAfter(name, settles)
	}
	if old == nil || old.Status.State != nodeProfile.Status.State {
		t.answers.Moved(nodeProfile.Spec.Profile)
	}
	if needsPlace(old) != needsPlace(nodeProfile) {
		t.admitter.kick()
	}
	if old != nil && !apiequality.Semantic.DeepEqual(old.Status.Decisions, nodeProfile.Status.Decisions) {
		t.written.forget(nodeProfile.Name) // who has decided is to see that at once, also if it changes words alone
	}
	if !t.latest.Knows(nodeProfile) {
		t.queue.AddAfter(nodeProfile.Name, settles) // so that two processes that disagree write no faster
	}
}

// holdChanged has the NodeProfile looked at that the hold belongs to. The pods that leave meanwhile do not matter.
func (t *term) holdChanged(before, after *v1beta1.NodeMaintenance) {
	changed := after
	if changed == nil {
		changed = before
	}
	for _, nodeProfile := range t.indexed(byNode, changed.Spec.NodeName) {
		if hold.Name(nodeProfile) == changed.Name && (before == nil || after == nil || looksDifferent(before, after, nodeProfile)) {
			t.queue.Add(nodeProfile.Name)
		}
	}
}

func looksDifferent(before, after *v1beta1.NodeMaintenance, nodeProfile *v1beta1.NodeProfile) bool {
	was, is := hold.Look(before, nodeProfile), hold.Look(after, nodeProfile)
	return before.UID != after.UID || before.Generation != after.Generation ||
		was.Reached != is.Reached || was.Ending != is.Ending || was.Message != is.Message
}
