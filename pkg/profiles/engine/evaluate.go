// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/hold"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action/job"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// snapshot is what is known at a moment, in a process that need not lead.
type snapshot struct {
	cluster Cluster
	nodes   map[string]*corev1.Node
	ledger  v1beta1.MaintenanceLedgerSpec
}

// snapshot reads the nodes and the ledger. Profiles and NodeProfiles come from the caches.
func (e *Engine) snapshot(ctx context.Context) (*snapshot, error) {
	if !e.profiles.HasSynced() || !e.nodeProfiles.HasSynced() {
		return nil, fmt.Errorf("profiles are not known yet")
	}
	s := &snapshot{cluster: e.config.NewCluster(), nodes: map[string]*corev1.Node{}}
	stored, err := ledger.Get(ctx, e.config.Maintenance.MaintenanceV1beta1().MaintenanceLedgers())
	if err != nil {
		return nil, err
	}
	if stored != nil {
		s.ledger = stored.Spec
	}
	list, err := e.config.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, fmt.Errorf("could not list nodes: %w", err)
	}
	for _, object := range e.profiles.GetStore().List() {
		if profile, is := object.(*v1beta1.MaintenanceProfile); is && v1beta1.WhyUnreadable(profile) == "" {
			s.cluster.SetProfile(profile)
		}
	}
	for i := range list.Items {
		s.nodes[list.Items[i].Name] = &list.Items[i]
		s.cluster.SetNode(&list.Items[i])
	}
	for _, object := range e.nodeProfiles.GetStore().List() {
		if nodeProfile, is := object.(*v1beta1.NodeProfile); is && v1beta1.WhyUnreadable(nodeProfile) == "" {
			s.cluster.SetNodeProfile(nodeProfile)
		}
	}
	return s, nil
}

// evaluateIn says what the checks of a profile on a node say, with an evaluation for the profile.
func (e *Engine) evaluateIn(
	s *snapshot, evaluate func(evaluation.Facts) evaluation.Outcome, profile *v1beta1.MaintenanceProfile, nodeProfile *v1beta1.NodeProfile,
) (outcome evaluation.Outcome) {
	facts := evaluation.Facts{
		Now: e.config.Clock.Now(), Profile: profile, NodeProfile: nodeProfile, Node: s.nodes[nodeProfile.Spec.NodeName],
		Ledger: s.ledger, HoldReached: reached(e.holdOf(nodeProfile)), Siblings: e.siblings(nodeProfile),
	}
	facts.Answers, facts.Pods = e.answersNow().For(profile, nodeProfile, facts.Node)
	s.cluster.View(func(cluster evaluation.Cluster) {
		facts.Cluster = cluster
		outcome = evaluate(facts)
	})
	return outcome
}

// siblings are the other NodeProfiles of the node, from the cache.
func (e *Engine) siblings(nodeProfile *v1beta1.NodeProfile) []*v1beta1.NodeProfile {
	objects, err := e.nodeProfiles.GetIndexer().ByIndex(byNode, nodeProfile.Spec.NodeName)
	if err != nil {
		return nil
	}
	var others []*v1beta1.NodeProfile
	for _, object := range objects {
		if other, is := object.(*v1beta1.NodeProfile); is && other.Name != nodeProfile.Name {
			others = append(others, other)
		}
	}
	return others
}

// Evaluate says what the checks of a NodeProfile say now. It changes nothing, and asks no other servers. It fails while
// it does not know enough.
func (e *Engine) Evaluate(ctx context.Context, nodeProfile *v1beta1.NodeProfile) (*v1beta1.NodeProfileEvaluation, error) {
	profile := e.profile(nodeProfile.Spec.Profile)
	if profile == nil {
		return nil, apierrors.NewNotFound(v1beta1.Resource("maintenanceprofiles"), nodeProfile.Spec.Profile)
	}
	s, err := e.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	outcome, now := e.evaluateIn(s, e.config.Evaluate, profile, nodeProfile), e.config.Clock.Now()
	evaluated := &v1beta1.NodeProfileEvaluation{
		ObjectMeta: metav1.ObjectMeta{Name: nodeProfile.Name}, Time: metav1.NewMicroTime(now),
		State: nodeProfile.Status.State, Sequence: nodeProfile.Status.Sequence, WaitingFor: text(outcome.Waiting),
		Checks: machine.Checks(nodeProfile.Status.Checks, outcome.Checks, now), Transitions: machine.Transitions(outcome.Transitions),
	}
	if outcome.Winner >= 0 {
		evaluated.Transition = outcome.Transitions[outcome.Winner].Name
	}
	if !outcome.Again.IsZero() {
		next := metav1.NewMicroTime(outcome.Again)
		evaluated.NextTime = &next
	}
	return evaluated, nil
}

// JobsFor are the Jobs that are run on the node for a hold: those of the NodeProfile that it belongs to, from the cache.
func (e *Engine) JobsFor(held *v1beta1.NodeMaintenance) []types.NamespacedName {
	for _, owner := range held.OwnerReferences {
		object, _, _ := e.nodeProfiles.GetStore().GetByKey(owner.Name)
		if nodeProfile, is := object.(*v1beta1.NodeProfile); is && nodeProfile.UID == owner.UID && hold.Name(nodeProfile) == held.Name {
			return job.Of(nodeProfile)
		}
	}
	return nil
}

// holdOf is the hold of a NodeProfile, from the cache.
func (e *Engine) holdOf(nodeProfile *v1beta1.NodeProfile) hold.Seen {
	name := hold.Name(nodeProfile)
	for _, cached := range e.config.Holds.HoldsOn(nodeProfile.Spec.NodeName) {
		if cached.Name == name {
			return hold.Look(cached, nodeProfile)
		}
	}
	return hold.Seen{}
}
