// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/story"
)

// events reads the events of nodes, of NodeMaintenances, of ScheduledEvents, and of the pods that are or were on nodes in
// maintenance. Those of nodes come first, as the story needs them. Events of objects without a namespace are in
// the namespace default; who writes such into another makes them up.
func (g *gatherer) events(ctx context.Context) error {
	c := g.index.begin("events/", "events of nodes, of NodeMaintenances, of ScheduledEvents, and of pods on nodes in maintenance, by page of the list")
	for _, of := range []struct{ kind, file, namespace string }{
		{"Node", "nodes", metav1.NamespaceDefault},
		{"NodeMaintenance", "nodemaintenances", metav1.NamespaceDefault},
		{"ScheduledEvent", "scheduledevents", metav1.NamespaceDefault},
		{"Pod", "pods", metav1.NamespaceAll},
	} {
		if of.kind == "Pod" && len(g.held) == 0 {
			continue
		}
		g.read(ctx, c, list{
			resource: corev1.SchemeGroupVersion.WithResource("events"), namespace: of.namespace, fieldSelector: "involvedObject.kind=" + of.kind,
			together: c.path + of.file, fields: redact.Event, see: g.seeEvent,
		})
	}
	return nil
}

func (g *gatherer) seeEvent(object *unstructured.Unstructured) bool {
	var event corev1.Event
	if !as(object, &event) || g.isOld(&event) || event.InvolvedObject.Kind == "Pod" && !g.isNear(&event) {
		return false
	}
	g.story.Event(&event)
	return true
}

func (g *gatherer) isOld(event *corev1.Event) bool {
	return g.options.since > 0 && story.LastTime(event).Before(g.archive.now.Add(-g.options.since))
}

// isNear reports whether an event is of a pod on a node in maintenance, or of one that was there.
func (g *gatherer) isNear(event *corev1.Event) bool {
	return g.pods.Has(event.InvolvedObject.UID) || g.held.Has(story.EventHost(event))
}
