// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package answers gathers what others answer to checks, for the engine of profiles: package external asks Prometheus, HTTP
// servers and other objects, and package podaffinity knows pods. Nothing is asked that no evaluation wants.
package answers

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/external"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/podaffinity"
)

// Config is whom Answers ask, and whom they tell. All fields are required.
type Config struct {
	// Cluster is what is known of all nodes together.
	Cluster Cluster
	// Endpoints has the servers that checks ask.
	Endpoints endpoint.Endpoints
	// Objects reads what checks of the kind object ask about.
	Objects dynamic.Interface
	// Kube reads pods.
	Kube kubernetes.Interface
	// Wake has NodeProfiles looked at soon, by their names. It must not block.
	Wake func(nodeProfiles ...string)
	// Clock tells the time.
	Clock clock.WithTicker
}

// Cluster lets look see what is known of all nodes together.
type Cluster interface {
	View(look func(evaluation.Cluster))
}

// Answers are those of one term of leading. Use New.
type Answers struct {
	asker *external.Asker
	pods  *podaffinity.Watcher
}

// New returns Answers that ask nobody before Run.
func New(config Config) *Answers {
	return &Answers{
		asker: external.New(external.Config{
			Endpoints: config.Endpoints, Objects: config.Objects, NodeCount: nodeCount(config.Cluster),
			Wake: func(name string) { config.Wake(name) }, Clock: config.Clock,
		}),
		pods: podaffinity.New(podaffinity.Config{
			Client: config.Kube, Candidates: required(config.Cluster),
			Wake: func(profile, node string) { config.Wake(v1beta1.NodeProfileName(node, profile)) },
		}),
	}
}

// nodeCount says how many nodes there are.
func nodeCount(cluster Cluster) func() int {
	return func() (count int) {
		cluster.View(func(c evaluation.Cluster) { count = c.NodeCount() })
		return count
	}
}

// required names the nodes on which a profile is MaintenanceRequired.
func required(cluster Cluster) func(profile string) []string {
	return func(profile string) (nodes []string) {
		cluster.View(func(c evaluation.Cluster) {
			for _, member := range c.InState(profile, v1beta1.ProfileMaintenanceRequired) {
				nodes = append(nodes, member.Node)
			}
		})
		return nodes
	}
}

// Run asks what is wanted until ctx is done, and returns when everything it started has ended. It is called once.
func (a *Answers) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { a.asker.Run(ctx) })
	running.Go(func() { a.pods.Run(ctx) })
}

// For returns what is known now of the checks of a profile on a node, and of pods. It asks nobody.
func (a *Answers) For(
	profile *v1beta1.MaintenanceProfile, nodeProfile *v1beta1.NodeProfile, node *corev1.Node,
) (map[string]evaluation.Answer, map[string]evaluation.PodAffinity) {
	return a.asker.Answers(evaluation.Facts{Profile: profile, NodeProfile: nodeProfile, Node: node}), a.pods.Pods()
}

// Want has these checks of a profile on a node asked, by their names, instead of those that it wanted before. The
// NodeProfile is woken when an answer is another one than it was last woken for.
func (a *Answers) Want(profile *v1beta1.MaintenanceProfile, nodeProfile *v1beta1.NodeProfile, node *corev1.Node, checks []string) {
	a.asker.Want(evaluation.Facts{Profile: profile, NodeProfile: nodeProfile, Node: node}, checks)
	asksPods := slices.ContainsFunc(profile.Spec.Checks, func(check v1beta1.ProfileCheck) bool {
		return check.PodAffinity != nil && slices.Contains(checks, check.Name)
	})
	a.pods.Want(profile.Name, nodeProfile.Spec.NodeName, asksPods)
}

// Forget has nothing asked any more for a NodeProfile.
func (a *Answers) Forget(nodeProfile *v1beta1.NodeProfile) {
	a.asker.Forget(nodeProfile.Name)
	a.pods.Want(nodeProfile.Spec.Profile, nodeProfile.Spec.NodeName, false)
}

// Moved says that a profile is in another state on a node.
func (a *Answers) Moved(profile string) { a.pods.Moved(profile) }
