// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
)

func hasEventFinalizer(event *v1beta1.ScheduledEvent) bool {
	return slices.Contains(event.Finalizers, v1beta1.EventFinalizer)
}

// withEventFinalizer returns the finalizers with the server's own exactly once, at the end.
func withEventFinalizer(finalizers []string) []string {
	others := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool { return name == v1beta1.EventFinalizer })
	return append(others, v1beta1.EventFinalizer)
}

// keepEventFinalizer puts the finalizer back that an update left out: without it, the node would stay in maintenance, and
// added machines would stay. Only the server takes it off, and only from an object that is being deleted.
func keepEventFinalizer(ctx context.Context, newEvent, oldEvent *v1beta1.ScheduledEvent) {
	if !hasEventFinalizer(oldEvent) || hasEventFinalizer(newEvent) {
		return
	}
	if caller.IsServer(ctx) && oldEvent.DeletionTimestamp != nil {
		return
	}
	newEvent.Finalizers = withEventFinalizer(newEvent.Finalizers)
	warning.AddWarning(ctx, "", fmt.Sprintf(
		"metadata.finalizers: %s is kept: the server removes it when what the event has begun is withdrawn", v1beta1.EventFinalizer))
}
