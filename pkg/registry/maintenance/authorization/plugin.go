// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package authorization decides who may start, change and end maintenance of a node. RBAC cannot
// name the node in a request for nodemaintenances; so each write of one is asked about once more,
// as a request for the subresource maintenance of its node.
package authorization

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// resource is what is asked about, whichever resource and group the write is for.
const resource = "nodemaintenances"

// Plugin is a validating admission plugin. It is part of the API, not of the cluster's policies,
// and cannot be turned off: as admission, it sees every write, deletecollection and dry runs
// included, with the object as it is to be stored.
type Plugin struct {
	*admission.Handler
	authorizer authorizer.UnconditionalAuthorizer
}

var _ admission.ValidationInterface = &Plugin{}

// New returns the plugin. The authorizer is the one that the requests themselves have passed.
func New(authorizer authorizer.UnconditionalAuthorizer) *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete), authorizer: authorizer}
}

// Validate refuses the write of a NodeMaintenance with a 403 that names the right that the user
// lacks, and with a 500 where that cannot be found out.
func (p *Plugin) Validate(ctx context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	if attributes.GetResource().Resource != resource {
		return nil
	}
	write, err := newWrite(attributes)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return p.authorizeAll(ctx, attributes, write)
}

// authorizeAll asks for all rights that the write needs side by side, and waits for every answer.
// Of several that are lacking, the first is told.
func (p *Plugin) authorizeAll(ctx context.Context, attributes admission.Attributes, w write) error {
	needs := w.needs()
	refusals := make([]error, len(needs))
	var asking sync.WaitGroup
	for i, r := range needs[1:] {
		asking.Go(func() { refusals[i+1] = p.authorize(ctx, attributes, w, r) })
	}
	refusals[0] = p.authorize(ctx, attributes, w, needs[0])
	asking.Wait()
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

func newWrite(attributes admission.Attributes) (write, error) {
	w := write{operation: attributes.GetOperation()}
	if user := attributes.GetUserInfo(); user != nil {
		w.user = user.GetName()
	}
	w.hold, _ = attributes.GetObject().(*maintenance.NodeMaintenance)
	w.old, _ = attributes.GetOldObject().(*maintenance.NodeMaintenance)
	if w.stored() == nil || (w.operation == admission.Update && w.hold == nil) {
		return w, errors.New("could not tell which node the request is about")
	}
	return w, nil
}

func (p *Plugin) authorize(ctx context.Context, attributes admission.Attributes, w write, r right) error {
	node := w.stored().Spec.NodeName
	decision, why, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: attributes.GetUserInfo(), Verb: r.verb,
		APIGroup: v1beta1.GroupName, APIVersion: v1beta1.SchemeGroupVersion.Version,
		Resource: "nodes", Subresource: r.subresource, Name: node, ResourceRequest: true,
	})
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may %s maintenance of node %q: %w", w.user, r.verb, node, err))
	}
	lacks := fmt.Sprintf("User %q cannot %s resource \"nodes/%s\" in API group %q named %q", w.user, r.verb, r.subresource, v1beta1.GroupName, node)
	if r.why != "" {
		lacks += ", which " + r.why + " asks for"
	}
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(attributes.GetResource().GroupResource(), attributes.GetName(), errors.New(lacks))
}
