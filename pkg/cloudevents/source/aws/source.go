// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"context"
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
)

// noRegion is the name of the region of nodes that do not tell theirs.
const noRegion = "unknown"

var errNoRegion = errors.New("the provider ids of some nodes have no zone, and neither has the label topology.kubernetes.io/region of these nodes " +
	"nor the environment variable AWS_REGION a region: set AWS_REGION")

// Config is what a Source is made from.
type Config struct {
	Settings
	// Nodes returns all nodes, with their provider ids and labels.
	Nodes func() ([]*corev1.Node, error)
}

// Source reads the scheduled events of EC2. Use New.
type Source struct {
	config Config
	limits limits

	mu sync.Mutex
	// clients are those that were needed, by region.
	clients map[string]describe
}

// New returns a Source that has not asked anything.
func New(config Config) *Source {
	return &Source{config: config, limits: defaultLimits, clients: map[string]describe{}}
}

// Events asks the regions of all nodes at the same time. It fails if the nodes are not known.
func (s *Source) Events(ctx context.Context) (source.Answer, error) {
	nodes, err := s.config.Nodes()
	if err != nil {
		return source.Answer{}, err
	}
	regions := s.regions(ctx, nodes)
	answers := s.askAll(ctx, regions)
	return merge(regions, answers), nil
}

// regions returns the instances of the nodes by their regions.
func (s *Source) regions(ctx context.Context, nodes []*corev1.Node) map[string]sets.Set[string] {
	regions := map[string]sets.Set[string]{}
	for _, node := range nodes {
		at, is := placeOf(node)
		if !is {
			continue
		}
		if regions[at.region] == nil {
			regions[at.region] = sets.Set[string]{}
		}
		regions[at.region].Insert(at.instance)
	}
	if len(regions) == 0 {
		klog.FromContext(ctx).V(1).Info("No node is an instance of AWS")
	}
	if instances, some := regions[""]; some {
		delete(regions, "")
		own := s.ownRegion(ctx)
		regions[own] = instances.Union(regions[own])
	}
	return regions
}

// ownRegion is the region of this process, as the environment says.
func (s *Source) ownRegion(ctx context.Context) string {
	loaded, err := s.load(ctx)
	if err != nil || regionOf(loaded.Region) == "" {
		return noRegion
	}
	return regionOf(loaded.Region)
}

// regionAnswer is what a region has told, and what failed.
type regionAnswer struct {
	told
	err error
}

func (s *Source) askAll(ctx context.Context, regions map[string]sets.Set[string]) map[string]regionAnswer {
	var (
		mu      sync.Mutex
		asking  sync.WaitGroup
		answers = map[string]regionAnswer{}
	)
	for region, instances := range regions {
		asking.Go(func() {
			answer := regionAnswer{err: errNoRegion}
			if region != noRegion {
				answer.told, answer.err = s.askRegion(ctx, region, sets.List(instances))
			}
			mu.Lock()
			defer mu.Unlock()
			answers[region] = answer
		})
	}
	asking.Wait()
	return answers
}

// merge puts together what the regions have told. Nodes may say that an instance is in several regions: then all of them
// have to answer for it.
func merge(regions map[string]sets.Set[string], answers map[string]regionAnswer) source.Answer {
	all := source.Answer{
		Events: map[string]source.Event{}, Asked: sets.Set[string]{}, Answered: sets.Set[string]{}, Regions: map[string]error{},
	}
	unanswered := sets.Set[string]{}
	for region, instances := range regions {
		answer := answers[region]
		all.Regions[region] = answer.err
		all.Asked = all.Asked.Union(instances)
		all.Answered.Insert(answer.instances...)
		unanswered = unanswered.Union(instances.Difference(sets.New(answer.instances...)))
		for _, event := range answer.events {
			all.Events[event.ID] = event
		}
	}
	all.Answered = all.Answered.Difference(unanswered)
	return all
}
