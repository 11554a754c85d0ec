// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// follow has nodes looked at when something changes that is mirrored, until unfollow is called. It says no when ctx was
// done before all were known.
func (t *term) follow(ctx context.Context) (unfollow func(), known bool) {
	var stops []func()
	unfollow = func() {
		for _, stop := range stops {
			stop()
		}
	}
	var synced []cache.InformerSynced
	for _, followed := range []struct {
		informer cache.SharedIndexInformer
		changed  func(before, after any)
	}{
		{t.nodes, t.nodeChanged},
		{t.Profiles, func(any, any) { t.wakeAll() }},
		{t.NodeProfiles, func(before, after any) { t.nodeProfileChanged(ctx, before, after) }},
	} {
		hasSynced, stop, err := workloop.Follow(followed.informer, followed.changed)
		if err != nil {
			return unfollow, false // it has ended
		}
		stops, synced = append(stops, stop), append(synced, hasSynced)
	}
	return unfollow, cache.WaitForCacheSync(ctx.Done(), synced...)
}

// trim keeps of nodes what is mirrored.
func (t *term) trim(obj any) (any, error) {
	if node, is := obj.(*corev1.Node); is {
		node.ManagedFields, node.Spec, node.Status = nil, corev1.NodeSpec{}, corev1.NodeStatus{}
		node.Annotations = only(node.Annotations, sapdata.Annotation, MarkAnnotation)
		node.Labels = only(node.Labels, v1beta1.StateLabel, t.Label)
	}
	return obj, nil
}

func only(values map[string]string, keys ...string) map[string]string {
	kept := map[string]string{}
	for _, key := range keys {
		if value, found := values[key]; found {
			kept[key] = value
		}
	}
	return kept
}

func (t *term) wakeAll() {
	for _, name := range t.nodes.GetStore().ListKeys() {
		t.queue.Add(name)
	}
}

// nodeChanged looks at a node whose marks have changed. Heartbeats do not matter.
func (t *term) nodeChanged(before, after any) {
	node, exists := after.(*corev1.Node)
	if !exists {
		return
	}
	if old, known := before.(*corev1.Node); known && old.UID == node.UID && marksOf(old) == marksOf(node) && old.Labels[t.Label] == node.Labels[t.Label] {
		return
	}
	t.queue.Add(node.Name)
}

func (t *term) nodeProfileChanged(ctx context.Context, before, after any) {
	old, _ := before.(*v1beta1.NodeProfile)
	nodeProfile, exists := after.(*v1beta1.NodeProfile)
	if exists {
		t.queue.Add(nodeProfile.Spec.NodeName)
		t.tell(ctx, old, nodeProfile)
		return
	}
	if old != nil {
		t.queue.Add(old.Spec.NodeName)
	}
}

// onNode returns the profiles of a node, with their aliases.
func (t *term) onNode(name string) []sapdata.Profile {
	objects, _ := t.NodeProfiles.GetIndexer().ByIndex(v1beta1.FieldNodeName, name) // the index is there
	var profiles []sapdata.Profile
	for _, object := range objects {
		if nodeProfile, is := object.(*v1beta1.NodeProfile); is {
			profiles = append(profiles, sapdata.Profile{Alias: t.alias(nodeProfile.Spec.Profile), NodeProfile: nodeProfile})
		}
	}
	return profiles
}

// unread says whether a NodeProfile of the node, or its profile, cannot be read. What was mirrored stays.
func (t *term) unread(node string) bool {
	return slices.ContainsFunc(t.onNode(node), func(on sapdata.Profile) bool {
		object, _, _ := t.Profiles.GetStore().GetByKey(on.NodeProfile.Spec.Profile)
		profile, is := object.(*v1beta1.MaintenanceProfile)
		return v1beta1.WhyUnreadable(on.NodeProfile) != "" || is && v1beta1.WhyUnreadable(profile) != ""
	})
}

// alias is what the controller calls a profile.
func (t *term) alias(name string) string {
	object, _, _ := t.Profiles.GetStore().GetByKey(name)
	if profile, is := object.(*v1beta1.MaintenanceProfile); is {
		return profile.AliasOrName()
	}
	return name
}
