// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package authorization decides who may start, change and end maintenance of a node. In a request for
// nodemaintenances, RBAC does not see the node. So each write is authorized once more, as a request for
// the subresource maintenance of that node.
package authorization

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/panics"
)

// resource is the resource whose writes the plugin checks. Writes through nodes/maintenance pass
// admission as this resource, too.
const resource = "nodemaintenances"

// Plugin is a validating admission plugin. It is part of the API, not of the cluster's policies, and
// cannot be turned off. As an admission plugin it sees every write with the object that is to be
// stored, also in a deletecollection and in a dry run.
type Plugin struct {
	*admission.Handler
	authorizer authorizer.UnconditionalAuthorizer
	// secretNamespace is where the Secrets of endpoints are; empty: no endpoint has one.
	secretNamespace string
	// nodes tells which node a machine is; nil: nobody does.
	nodes Nodes
	// serverMay tells what the cluster permits the server itself; nil: everything.
	serverMay ServerMay
	// underWay tells what a profile does on nodes; nil: nothing.
	underWay WhatIsUnderWay
	// server is what the server itself is permitted; nil: everything.
	server *ServerRights
}

var _ admission.ValidationInterface = &Plugin{}

// New returns the plugin. The authorizer is the one that the requests themselves have passed. secretNamespace is where the
// Secrets of endpoints are; empty: nowhere.
func New(authorizer authorizer.UnconditionalAuthorizer, secretNamespace string) *Plugin {
	return &Plugin{
		Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete), authorizer: authorizer, secretNamespace: secretNamespace,
	}
}

// Validate refuses a write of a NodeMaintenance, a MaintenanceProfile, a MaintenanceEndpoint, a ScheduledEvent or a
// MaintenancePolicy with a 403 that names the permission that the user lacks. It fails with a 500 if the permissions cannot be checked.
func (p *Plugin) Validate(ctx context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	if stored, ok := attributes.GetOldObject().(v1beta1.Stored); ok && v1beta1.WhyUnreadable(stored) != "" {
		return p.authorizeUnread(ctx, attributes, stored)
	}
	switch attributes.GetResource().Resource {
	case profiles:
		return p.validateProfile(ctx, attributes)
	case endpoints:
		return p.authorizeEndpoint(ctx, attributes)
	case events:
		return p.validateEvent(ctx, attributes)
	case policies:
		return p.authorizePolicy(ctx, attributes)
	case resource:
		return p.validateHold(ctx, attributes)
	default:
		return nil
	}
}

// authorizeUnread checks the deletion of an object that cannot be read, the only write of one that comes so far. Nobody
// knows whose it is, so it takes the permission that Kubernetes asks for. The server itself deletes none.
func (p *Plugin) authorizeUnread(ctx context.Context, attributes admission.Attributes, stored v1beta1.Stored) error {
	question := authorizer.AttributesRecord{
		User: attributes.GetUserInfo(), Verb: "unsafe-delete-ignore-read-errors", APIGroup: v1beta1.GroupName,
		APIVersion: v1beta1.SchemeGroupVersion.Version, Resource: attributes.GetResource().Resource, Name: stored.GetName(), ResourceRequest: true,
	}
	kind := v1beta1.Resource(question.Resource)
	if caller.IsServer(ctx) {
		return apierrors.NewForbidden(kind, stored.GetName(), errors.New("the server itself deletes nothing that it cannot read"))
	}
	decision, _, err := p.authorizer.Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may %s: %w", question.User.GetName(), question.Verb, err))
	}
	return apierrors.NewForbidden(kind, stored.GetName(), fmt.Errorf("it cannot be read, and user %q cannot %s resource %q in API group %q",
		question.User.GetName(), question.Verb, question.Resource, v1beta1.GroupName))
}

// validateHold checks a write of a NodeMaintenance.
func (p *Plugin) validateHold(ctx context.Context, attributes admission.Attributes) error {
	if attributes.GetSubresource() == approval {
		return p.authorizeApproval(ctx, attributes)
	}
	write, err := newWrite(attributes)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return p.authorizeAll(ctx, write)
}

// AuthorizeUpdate is Validate for an update that has not been validated yet. It is called before
// validation and before conflicts are found, so that their errors tell nothing of a hold to a user who
// may not change it. With the same object twice it checks what every update of the hold needs. It does so for a
// ScheduledEvent, too.
func (p *Plugin) AuthorizeUpdate(ctx context.Context, subresource string, hold, old runtime.Object) error {
	if event, ok := hold.(*v1beta1.ScheduledEvent); ok {
		return p.authorizeEventUpdate(ctx, event, old)
	}
	requester, found := genericapirequest.UserFrom(ctx)
	if !found {
		return apierrors.NewInternalError(errors.New("could not tell who makes the request"))
	}
	write := write{operation: admission.Update, subresource: subresource, by: requester}
	write.hold, _ = hold.(*v1beta1.NodeMaintenance)
	write.old, _ = old.(*v1beta1.NodeMaintenance)
	if write.hold == nil || write.old == nil {
		return apierrors.NewInternalError(errUnknownNode)
	}
	return p.authorizeAll(ctx, write)
}

// authorizeAll checks all permissions that the write needs at the same time, and waits for every
// answer. If several are missing, the error names the first.
func (p *Plugin) authorizeAll(ctx context.Context, w write) error {
	needs := w.needs()
	refusals := make([]error, len(needs))
	var asking sync.WaitGroup
	for i, needed := range needs[1:] {
		asking.Go(func() {
			refusals[i+1] = panics.ToError(ctx, func() error { return p.authorize(ctx, w, needed) })
		})
	}
	refusals[0] = p.authorize(ctx, w, needs[0])
	asking.Wait()
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return p.server.refuseHold(w)
}

var errUnknownNode = errors.New("could not tell which node the request is about")

func newWrite(attributes admission.Attributes) (write, error) {
	w := write{operation: attributes.GetOperation(), subresource: attributes.GetSubresource(), by: attributes.GetUserInfo()}
	w.hold, _ = attributes.GetObject().(*v1beta1.NodeMaintenance)
	w.old, _ = attributes.GetOldObject().(*v1beta1.NodeMaintenance)
	if w.stored() == nil || (w.operation == admission.Update && w.hold == nil) {
		return w, errUnknownNode
	}
	return w, nil
}

func (p *Plugin) authorize(ctx context.Context, w write, needed permission) error {
	node := w.stored().Spec.NodeName
	question := about(w.by, needed, node)
	if needed.ofHold {
		question.Resource, question.Name = resource, w.stored().Name
	}
	decision, why, err := p.authorizer.Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may %s maintenance of node %q: %w", w.by.GetName(), needed.verb, node, err))
	}
	lacks := fmt.Sprintf("User %q cannot %s resource \"%s/%s\" in API group %q named %q",
		w.by.GetName(), needed.verb, question.Resource, needed.subresource, v1beta1.GroupName, question.Name)
	if needed.why != "" {
		lacks += ", which " + needed.why + " asks for"
	}
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(v1beta1.Resource(resource), w.stored().Name, errors.New(lacks))
}

// about is the question whether the user has the permission for the node.
func about(user user.Info, needed permission, node string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{
		User: user, Verb: needed.verb,
		APIGroup: v1beta1.GroupName, APIVersion: v1beta1.SchemeGroupVersion.Version,
		Resource: "nodes", Subresource: needed.subresource, Name: node, ResourceRequest: true,
	}
}
