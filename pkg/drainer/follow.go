// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
)

// Holds returns what is cached of all NodeMaintenances that can be read, in no order. They are not to be changed. It fails
// while they are not known.
func (d *Drainer) Holds() ([]*v1beta1.NodeMaintenance, error) {
	if !d.watcher.Caches.Holds.HasSynced() {
		return nil, clusterwatch.ErrHoldsUnknown
	}
	listed := d.watcher.Caches.Holds.GetStore().List()
	holds := make([]*v1beta1.NodeMaintenance, 0, len(listed))
	for _, obj := range listed {
		if hold, isHold := obj.(*v1beta1.NodeMaintenance); isHold && v1beta1.WhyUnreadable(hold) == "" {
			holds = append(holds, hold)
		}
	}
	return holds, nil
}

// FollowNodes calls changed for each change of a node, after Node shows it, until stop is called; and once for each node
// that exists. Before is nil for a new node, and after for one that is gone. They are not to be changed. It fails when
// Watch has ended.
func (d *Drainer) FollowNodes(changed func(before, after *corev1.Node)) (stop func(), err error) {
	return followChanges(d.watcher.Caches.Nodes, changed)
}

// FollowHolds calls changed for each change of a NodeMaintenance, as FollowNodes does.
func (d *Drainer) FollowHolds(changed func(before, after *v1beta1.NodeMaintenance)) (stop func(), err error) {
	return followChanges(d.watcher.Caches.Holds, changed)
}

func followChanges[T any](informer cache.SharedIndexInformer, changed func(before, after T)) (stop func(), err error) {
	tell := func(before, after any) {
		old, _ := clusterwatch.Object[T](before)
		updated, _ := clusterwatch.Object[T](after)
		changed(old, updated)
	}
	_, stop, err = clusterwatch.Follow(informer, cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { tell(nil, obj) },
		UpdateFunc: tell,
		DeleteFunc: func(obj any) { tell(obj, nil) },
	})
	return stop, err
}
