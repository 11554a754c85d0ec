// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// scheduledEvents reads what clouds and people announced for nodes, and what became of it.
func (g *gatherer) scheduledEvents(ctx context.Context) error {
	c := g.index.begin("scheduledevents/", "what was announced for nodes, how far it is, and what it waits for")
	resource := v1beta1.SchemeGroupVersion.WithResource("scheduledevents")
	g.read(ctx, c, list{resource: resource, folder: c.path, fields: redact.Hold, see: func(object *unstructured.Unstructured) bool {
		var event v1beta1.ScheduledEvent
		if as(object, &event) {
			g.story.ScheduledEvent(&event)
		} else {
			c.note("%s has an unexpected form, and is not in timeline.txt", object.GetName())
		}
		return true
	}})
	return nil
}
