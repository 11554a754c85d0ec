// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// fakeHolds are the NodeMaintenances of a cache.
type fakeHolds struct{ cache.SharedIndexInformer }

func (h fakeHolds) HoldsOn(node string) (holds []*v1beta1.NodeMaintenance) {
	for _, object := range h.GetStore().List() {
		if hold := object.(*v1beta1.NodeMaintenance); hold.Spec.NodeName == node {
			holds = append(holds, hold)
		}
	}
	return holds
}

func (h fakeHolds) FollowHolds(changed func(before, after *v1beta1.NodeMaintenance)) (func(), error) {
	_, stop, err := workloop.Follow(h.SharedIndexInformer, func(before, after any) {
		old, _ := before.(*v1beta1.NodeMaintenance)
		hold, _ := after.(*v1beta1.NodeMaintenance)
		changed(old, hold)
	})
	return stop, err
}
