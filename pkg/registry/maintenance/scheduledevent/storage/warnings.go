// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
)

// warn tells who has created an event what may not be meant. While no node is known, nothing is said of when its drain starts.
func (r *REST) warn(ctx context.Context, obj runtime.Object) {
	event, ok := obj.(*v1beta1.ScheduledEvent)
	if !ok {
		return
	}
	warnings := scheduledevent.Warnings(&event.Spec, r.clock.Now(), r.replaces)
	if missing := r.missing(&event.Spec); missing != "" && scheduledevent.Acts(&event.Spec) {
		warnings = []string{missing}
	}
	for _, text := range warnings {
		warning.AddWarning(ctx, "", text)
	}
}

// missing says which node does not exist; empty: it does, or that is not known.
func (r *REST) missing(spec *v1beta1.ScheduledEventSpec) string {
	if name := spec.NodeName; name != "" && !r.nodes.HasNode(name) {
		return fmt.Sprintf("node %q does not exist: the event stays Pending until it appears", name)
	}
	nodes, err := r.nodes.Nodes()
	if id := spec.InstanceID; id != "" && err == nil && len(scheduledevent.NodesOf(id, nodes)) == 0 {
		return fmt.Sprintf("no node has the instance id %q, which is the last part of spec.providerID: the event stays Pending until one has", id)
	}
	return ""
}
