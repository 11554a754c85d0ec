// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// maxEvents is how many ScheduledEvents of users there may be, with those that have ended in the last 7 days. The server
	// looks at each of them.
	maxEvents = 1000
	// maxOfOne is how many of them may name the same node, instance or machine, so that who may have events for one node
	// leaves room for others.
	maxOfOne = 32

	advice = "delete those that have ended, or are not true any more"
)

// newLimit bounds the events of users. What the server itself reads from a cloud is stored all the same. bytes is how large
// they may be together; zero: any size.
func newLimit(bytes int) *resource.Limit {
	return &resource.Limit{
		Kinds: "ScheduledEvents of users", Objects: maxEvents, Bytes: bytes, Counts: ofUser, Beside: leavesRoom, Advice: advice,
	}
}

func ofUser(obj runtime.Object) bool {
	event, ok := obj.(*v1beta1.ScheduledEvent)
	return ok && !v1beta1.IsCollected(event.Spec.Source)
}

// leavesRoom refuses an event if there are too many for the same node, instance or machine.
func leavesRoom(obj runtime.Object, others []runtime.Object) error {
	event, ok := obj.(*v1beta1.ScheduledEvent)
	if !ok {
		return fmt.Errorf("expected a ScheduledEvent, got %T", obj)
	}
	same := 0
	for _, other := range others {
		if meansSame(&other.(*v1beta1.ScheduledEvent).Spec, &event.Spec) {
			same++
		}
	}
	if same < maxOfOne {
		return nil
	}
	return fmt.Errorf("there are %d ScheduledEvents for the same node, instance or machine, and there may be %d: %s", same, maxOfOne, advice)
}

// meansSame says whether two events name the same node, instance or machine.
func meansSame(a, b *v1beta1.ScheduledEventSpec) bool {
	return a.NodeName != "" && a.NodeName == b.NodeName || a.InstanceID != "" && a.InstanceID == b.InstanceID ||
		a.MachineRef != nil && ptr.Equal(a.MachineRef, b.MachineRef)
}
