// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/job"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/patchobject"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/aggregate"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/answers"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/engine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
)

// ProfilesConfig is what MaintenanceProfiles and MaintenanceEndpoints depend on.
type ProfilesConfig struct {
	// Label is the label of nodes that has the aliases of their profiles. Default: v1beta1.DefaultProfileLabel.
	Label string
	// SecretNamespace is where the Secrets of endpoints are. Empty: endpoints with a secretRef cannot be used.
	SecretNamespace string
	// AllowLoopback lets endpoints be on this machine.
	AllowLoopback bool
}

// newProfiles has profiles applied while this server leads, and their notifications sent. The client is one for this
// server, as the drainer's. The epoch is that of the ledger, which policies write, too. While the controller of the mirrors
// runs, profiles change nothing.
func (c CompletedConfig) newProfiles(
	drain *drainer.Drainer, client versioned.Interface, epoch *ledger.Epoch, endpoints *endpoints, mirrors *mirrors,
	authorizing *authorization.Plugin,
) (*engine.Engine, error) {
	var profiles *engine.Engine
	compiled := &evaluation.Cache{}
	config := engine.Config{
		Maintenance: client, Kube: c.drainer.Kube, Holds: drain, Kinds: c.newProfileActions(client, endpoints), Epoch: epoch,
		NewCluster: func() engine.Cluster { return aggregate.New() },
		NewAnswers: c.newAnswers(endpoints, func(names ...string) { profiles.Wake(names...) }),
		Evaluate:   compiled.Evaluate, Ledger: compiled.Ledger, Forget: compiled.Forget, Preview: evaluation.Evaluate, Notify: engine.Notify, Label: c.profiles.Label,
		MaxNodeProfiles: c.room().NodeProfiles(), Vouch: authorizing.VouchForProfile, Guard: crashguard.Process,
	}
	if c.drainer.Dynamic != nil {
		config.Resolve = patchobject.NewResolver(c.drainer.Dynamic).Resolve
	}
	if mirrors != nil {
		config.Other = mirrors.shadow.Why
		config.Former = sapFormer{kube: c.drainer.Kube, look: func() { mirrors.mirror.Wake() }}
	}
	profiles, err := engine.New(config)
	if err != nil {
		return nil, fmt.Errorf("could not create the engine of profiles: %w", err)
	}
	if err := mirrors.follow(c, drain, profiles); err != nil {
		return nil, err
	}
	drain.IgnoreJobs(profiles.JobsFor)
	drain.LeadBeside(endpoints.first(profiles.Lead))
	drain.LeadBeside(endpoints.first(newOutbox(client, profiles.NodeProfiles(), endpoints).Run))
	return profiles, nil
}

// newAnswers returns how the checks that ask others are answered in each term of leading.
func (c CompletedConfig) newAnswers(
	endpoints endpoint.Endpoints, wake func(nodeProfiles ...string),
) func(engine.Cluster) engine.Answers {
	return func(cluster engine.Cluster) engine.Answers {
		return answers.New(answers.Config{
			Cluster: cluster, Endpoints: endpoints, Objects: c.drainer.Dynamic, Kube: c.drainer.Kube, Wake: wake,
			Clock: clock.RealClock{},
		})
	}
}

// underWay returns how it is asked what a profile does on nodes: as our own server has stored it.
func underWay(client versioned.Interface) authorization.WhatIsUnderWay {
	return func(ctx context.Context, profile string) (found authorization.UnderWay, err error) {
		selector := fields.OneTermEqualSelector(v1beta1.FieldProfile, profile).String()
		list, err := client.MaintenanceV1beta1().NodeProfiles().List(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			return found, err
		}
		for i := range list.Items {
			np := &list.Items[i]
			if state := np.Status.State; state != "" && state != v1beta1.ProfileOperational || np.Status.Transition != nil {
				found.Begun = append(found.Begun, np.Spec.NodeName)
			}
			if np.Status.Hold != nil {
				found.Nodes = append(found.Nodes, np.Spec.NodeName)
			}
			for _, running := range job.Running(np) {
				found.Jobs = append(found.Jobs, fmt.Sprintf("%s on node %s", running, np.Spec.NodeName))
			}
		}
		return found, nil
	}
}

// serverMay asks kube-apiserver what the server itself may.
func (c CompletedConfig) serverMay(ctx context.Context, question authorizer.AttributesRecord) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: question.Verb, Group: question.APIGroup, Version: question.APIVersion, Resource: question.Resource,
			Subresource: question.Subresource, Namespace: question.Namespace, Name: question.Name,
		},
	}}
	answer, err := c.drainer.Kube.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}
