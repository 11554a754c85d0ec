// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/panics"
)

// maxQuestions is how many permissions are asked for at the same time. A profile may need hundreds.
const maxQuestions = 16

// profiles is the resource of the profiles, whose authors must be permitted what they have the server do.
const profiles = maintenanceprofile.Plural

// validateProfile checks that the user may do themselves what the profile has the server do, and may give back the nodes
// that the write takes from it.
func (p *Plugin) validateProfile(ctx context.Context, attributes admission.Attributes) error {
	if attributes.GetSubresource() != "" {
		return nil
	}
	profile, _ := attributes.GetObject().(*v1beta1.MaintenanceProfile)
	old, _ := attributes.GetOldObject().(*v1beta1.MaintenanceProfile)
	if (old == nil) != (attributes.GetOperation() == admission.Create) || (profile == nil) != (attributes.GetOperation() == admission.Delete) {
		return apierrors.NewInternalError(errors.New("could not tell what the profile is to do"))
	}
	needs, err := p.releaseNeeds(ctx, profile, old)
	if err != nil {
		return err
	}
	if profile != nil {
		leaving, err := p.leaving(ctx, profile, old)
		if err != nil {
			return err
		}
		needs = slices.Concat(needs, profileNeeds(profile, old, leaving...), ownerNeeds(profile, old))
	}
	if err := p.askAll(ctx, attributes.GetUserInfo(), attributes.GetName(), needs); err != nil {
		return err
	}
	if err := p.server.refuseProfile(attributes.GetName(), needs); err != nil {
		return err
	}
	p.warnOfServer(ctx, needs)
	return nil
}

// VouchForProfile asks whether the author of a stored profile may still do what it says, and whether the server itself may.
// It returns the reason of the condition Acting if not, and what is missing. It fails if nobody can tell. No author is asked
// about if an earlier version stored the profile.
func (p *Plugin) VouchForProfile(ctx context.Context, profile *v1beta1.MaintenanceProfile) (reason, lacks string, err error) {
	needs := profileNeeds(profile, nil)
	if author := profile.Status.Author; author != nil {
		err := p.askAll(ctx, userOf(author), profile.Name, needs)
		if apierrors.IsForbidden(err) {
			_, why, _ := strings.Cut(err.Error(), " is forbidden: ")
			return v1beta1.ReasonAuthorLost, why, nil
		}
		if err != nil {
			return "", "", err
		}
	}
	missing, err := p.serverLacks(ctx, needs)
	if err != nil || len(missing) == 0 {
		return "", "", err
	}
	return v1beta1.ReasonNotPermitted, strings.Join(missing, "; "), nil
}

// askAll asks for all permissions, some at the same time, and waits for every answer. If several are missing, the error
// names the first.
func (p *Plugin) askAll(ctx context.Context, requester user.Info, profile string, needs []profileNeed) error {
	refusals := make([]error, len(needs))
	free := make(chan struct{}, maxQuestions)
	var asking sync.WaitGroup
	for i := range needs {
		free <- struct{}{}
		asking.Go(func() {
			defer func() { <-free }()
			refusals[i] = panics.ToError(ctx, func() error { return p.ask(ctx, requester, profile, needs[i]) })
		})
	}
	asking.Wait()
	if missing := slices.IndexFunc(refusals, func(err error) bool { return err != nil }); missing >= 0 {
		return refusals[missing]
	}
	return nil
}

// ask asks for a permission for everything first, and then for each name, if only these are needed.
func (p *Plugin) ask(ctx context.Context, requester user.Info, profile string, need profileNeed) error {
	written := v1beta1.Resource(profiles)
	refusal := p.askOne(ctx, requester, written, profile, need)
	if refusal == nil || len(need.names) == 0 || !apierrors.IsForbidden(refusal) {
		return refusal
	}
	for _, name := range need.names {
		named := need
		named.question.Name = name
		if err := p.askOne(ctx, requester, written, profile, named); err != nil {
			return err
		}
	}
	return nil
}

// askOne asks for one permission. The error is about the object of that name that is written.
func (p *Plugin) askOne(ctx context.Context, requester user.Info, written schema.GroupResource, name string, need profileNeed) error {
	question := need.question
	question.User, question.ResourceRequest = requester, true
	decision, why, err := p.authorizer.Authorize(ctx, question)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return apierrors.NewInternalError(fmt.Errorf("could not find out whether user %q may %s: %w", requester.GetName(), described(question), err))
	}
	lacks := fmt.Sprintf("User %q cannot %s, which %s asks for", requester.GetName(), described(question), need.why)
	if why != "" {
		lacks += ": " + why
	}
	return apierrors.NewForbidden(written, name, errors.New(lacks))
}

// described says in RBAC's terms what is asked for.
func described(question authorizer.AttributesRecord) string {
	resource := question.Resource
	if question.Subresource != "" {
		resource += "/" + question.Subresource
	}
	text := fmt.Sprintf("%s resource %q in API group %q", question.Verb, resource, question.APIGroup)
	if question.Namespace != "" {
		text += fmt.Sprintf(" in the namespace %q", question.Namespace)
	}
	if question.Name != "" {
		text += fmt.Sprintf(" named %q", question.Name)
	}
	return text
}
