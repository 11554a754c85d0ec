// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// follow watches nodes, profiles and NodeProfiles until ctx is done. It says no when that was before all were known.
func (t *term) follow(ctx context.Context, running *sync.WaitGroup) bool {
	var synced []cache.InformerSynced
	for _, followed := range []struct {
		informer cache.SharedIndexInformer
		changed  func(before, after any)
	}{
		{t.nodes, t.nodeChanged},
		{t.profiles, func(any, any) { t.wakeAll() }},
		{t.nodeProfiles, func(before, after any) { t.nodeProfileChanged(ctx, before, after) }},
	} {
		registration, err := followed.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { followed.changed(nil, obj) },
			UpdateFunc: followed.changed,
			DeleteFunc: func(obj any) { followed.changed(obj, nil) },
		})
		if err != nil {
			return false
		}
		synced = append(synced, registration.HasSynced)
		running.Go(func() { followed.informer.RunWithContext(ctx) })
	}
	return cache.WaitForCacheSync(ctx.Done(), synced...)
}

// trim keeps of objects what is mirrored.
func (t *term) trim(obj any) (any, error) {
	switch o := obj.(type) {
	case *corev1.Node:
		o.ManagedFields, o.Spec, o.Status = nil, corev1.NodeSpec{}, corev1.NodeStatus{}
		o.Annotations = only(o.Annotations, sapdata.Annotation, MarkAnnotation)
		o.Labels = only(o.Labels, v1beta1.StateLabel, t.Label)
	case *v1beta1.MaintenanceProfile:
		o.ManagedFields, o.Status = nil, v1beta1.MaintenanceProfileStatus{}
		o.Spec = v1beta1.MaintenanceProfileSpec{Alias: o.Spec.Alias}
	case *v1beta1.NodeProfile:
		o.ManagedFields = nil
		o.Status.Checks, o.Status.Transitions, o.Status.Decisions = nil, nil, nil
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

func nodeOf(obj any) ([]string, error) {
	if nodeProfile, is := obj.(*v1beta1.NodeProfile); is {
		return []string{nodeProfile.Spec.NodeName}, nil
	}
	return nil, nil
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
	if unknown, is := before.(cache.DeletedFinalStateUnknown); is {
		before = unknown.Obj
	}
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
	objects, _ := t.nodeProfiles.GetIndexer().ByIndex(byNode, name) // the index is there
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
		object, _, _ := t.profiles.GetStore().GetByKey(on.NodeProfile.Spec.Profile)
		profile, is := object.(*v1beta1.MaintenanceProfile)
		return v1beta1.WhyUnreadable(on.NodeProfile) != "" || is && v1beta1.WhyUnreadable(profile) != ""
	})
}

// alias is what the controller calls a profile.
func (t *term) alias(name string) string {
	object, _, _ := t.profiles.GetStore().GetByKey(name)
	if profile, is := object.(*v1beta1.MaintenanceProfile); is {
		return profile.AliasOrName()
	}
	return name
}
