// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
)

// events is the resource of the events, which have the server drain nodes and replace machines.
const events = scheduledevent.Plural

var errUnknownEvent = errors.New("could not tell which event the request is about")

// Nodes knows the nodes of the cluster. It is asked while a request waits, so it should answer from memory.
type Nodes interface {
	// Nodes returns all nodes. It fails while they are not known yet. The caller does not change what it returns.
	Nodes() ([]*corev1.Node, error)
}

// KnowNodes has the plugin ask which node a machine is. It is called once, before the first request. Without it, who
// names only a machine needs the permission for all nodes.
func (p *Plugin) KnowNodes(nodes Nodes) { p.nodes = nodes }

// validateEvent checks a write of a ScheduledEvent. Its status is written by the server alone.
func (p *Plugin) validateEvent(ctx context.Context, attributes admission.Attributes) error {
	if attributes.GetSubresource() != "" {
		return nil
	}
	event, _ := attributes.GetObject().(*v1beta1.ScheduledEvent)
	old, _ := attributes.GetOldObject().(*v1beta1.ScheduledEvent)
	if (event == nil) != (attributes.GetOperation() == admission.Delete) || (old == nil) != (attributes.GetOperation() == admission.Create) {
		return apierrors.NewInternalError(errUnknownEvent)
	}
	return p.authorizeEvent(ctx, attributes.GetUserInfo(), event, old)
}

// authorizeEventUpdate is validateEvent for an update that has not been validated yet.
func (p *Plugin) authorizeEventUpdate(ctx context.Context, event *v1beta1.ScheduledEvent, old runtime.Object) error {
	requester, found := genericapirequest.UserFrom(ctx)
	stored, _ := old.(*v1beta1.ScheduledEvent)
	if !found || stored == nil {
		return apierrors.NewInternalError(errUnknownEvent)
	}
	return p.authorizeEvent(ctx, requester, event, stored)
}

// authorizeEvent checks that the user may have the server act on the node that the event means. event is nil for a delete,
// and old for a create. The server itself may.
func (p *Plugin) authorizeEvent(ctx context.Context, requester user.Info, event, old *v1beta1.ScheduledEvent) error {
	if caller.IsServer(ctx) {
		return nil
	}
	if err := refuseServers(event, old); err != nil {
		return err
	}
	about := old
	if about == nil {
		about = event
	}
	return p.maySchedule(ctx, requester, about)
}

// refuseServers refuses to write what the server itself says. To delete it, the permission for its node is enough.
func refuseServers(event, old *v1beta1.ScheduledEvent) error {
	switch {
	case event == nil:
		return nil
	case old == nil && collectedSource(event) != "":
		return apierrors.NewForbidden(v1beta1.Resource(events), event.Name, fmt.Errorf(
			"only maintenance-apiserver itself creates ScheduledEvents of the source %[1]s, and those whose names begin with %[1]s.: use another source and another name",
			collectedSource(event)))
	case old != nil && collectedSource(old) != "" && !apiequality.Semantic.DeepEqual(event.Spec, old.Spec):
		return apierrors.NewForbidden(v1beta1.Resource(events), old.Name, fmt.Errorf(
			"only maintenance-apiserver itself changes the spec of ScheduledEvents of the source %s, as the cloud says; "+
				"a MaintenancePolicy can say what is done for their codes: spec.events", collectedSource(old)))
	}
	return nil
}

// collectedSource is the source of an event that only the server itself writes, or that its name claims; empty for others.
func collectedSource(event *v1beta1.ScheduledEvent) string {
	if v1beta1.IsCollected(event.Spec.Source) {
		return event.Spec.Source
	}
	if claimed, _, named := strings.Cut(event.Name, "."); named && v1beta1.IsCollected(claimed) {
		return claimed
	}
	return ""
}

// maySchedule asks for the verb schedule on nodes/maintenance of each node that the event may mean.
func (p *Plugin) maySchedule(ctx context.Context, requester user.Info, event *v1beta1.ScheduledEvent) error {
	names, why, err := p.meant(event)
	if err != nil {
		return err
	}
	for _, name := range names {
		question := about(requester, permission{verb: "schedule", subresource: "maintenance"}, name)
		if err := p.askOne(ctx, requester, v1beta1.Resource(events), event.Name, profileNeed{why: why, question: question}); err != nil {
			return err
		}
	}
	return nil
}

// everyNode stands for all nodes.
var everyNode = []string{""}

// meant are the nodes that the event may be about, and the field that says so. A node whose drain has started stays the
// node of its event. Before that, an event with a name of a node is about no other node, whatever else it says. A machine
// is asked for its node when it is needed, and not here, so who names nothing else needs the permission for all nodes.
func (p *Plugin) meant(event *v1beta1.ScheduledEvent) (names []string, why string, err error) {
	switch spec := &event.Spec; {
	case event.Status.DrainStartTime != nil && event.Status.NodeName != "":
		return []string{event.Status.NodeName}, "status.nodeName", nil
	case spec.NodeName != "":
		return []string{spec.NodeName}, "spec.nodeName", nil
	case spec.InstanceID == "":
		return everyNode, "an event that names no node", nil
	case p.nodes == nil:
		return everyNode, "spec.instanceID", nil
	}
	nodes, err := p.nodes.Nodes()
	if err != nil {
		return nil, "", apierrors.NewServiceUnavailable(err.Error())
	}
	if names = scheduledevent.NodesOf(event.Spec.InstanceID, nodes); len(names) > 0 {
		return names, "spec.instanceID", nil
	}
	return everyNode, "a spec.instanceID that no node has", nil
}
