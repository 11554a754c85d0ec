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
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
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
}

var _ admission.ValidationInterface = &Plugin{}

// New returns the plugin. The authorizer is the one that the requests themselves have passed.
func New(authorizer authorizer.UnconditionalAuthorizer) *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete), authorizer: authorizer}
}

// Validate refuses a write of a NodeMaintenance with a 403 that names the permission that the user
// lacks. It fails with a 500 if the permissions cannot be checked.
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

// authorizeAll checks all permissions that the write needs at the same time, and waits for every
// answer. If several are missing, the error names the first.
func (p *Plugin) authorizeAll(ctx context.Context, attributes admission.Attributes, w write) error {
	needs := w.needs()
	refusals := make([]error, len(needs))
	var asking sync.WaitGroup
	for i, needed := range needs[1:] {
		asking.Go(func() { refusals[i+1] = p.authorize(ctx, attributes, w, needed) })
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

func (p *Plugin) authorize(ctx context.Context, attributes admission.Attributes, w write, needed permission) error {
	node := w.stored().Spec.NodeName
	decision, why, err := p.authorizer.Authorize(ctx, about(attributes.GetUserInfo(), needed, node))
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may %s maintenance of node %q: %w", w.user, needed.verb, node, err))
	}
	lacks := fmt.Sprintf("User %q cannot %s resource \"nodes/%s\" in API group %q named %q", w.user, needed.verb, needed.subresource, v1beta1.GroupName, node)
	if needed.why != "" {
		lacks += ", which " + needed.why + " asks for"
	}
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(attributes.GetResource().GroupResource(), attributes.GetName(), errors.New(lacks))
}

// about is the question whether the user has the permission for the node.
func about(user user.Info, needed permission, node string) authorizer.Attributes {
	return authorizer.AttributesRecord{
		User: user, Verb: needed.verb,
		APIGroup: v1beta1.GroupName, APIVersion: v1beta1.SchemeGroupVersion.Version,
		Resource: "nodes", Subresource: needed.subresource, Name: node, ResourceRequest: true,
	}
}
