// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
)

// options are the command's flags.
type options struct {
	rounds        int
	kubectlRounds int
	names         string
	verbose       bool
	// server is the program of our server; empty: the one that make build builds.
	server string
	// replicas is how many processes of our server there are, and store is where they store.
	replicas int
	store    string

	// The drains' sizes, by case.
	budgets, free, serial, wide, large, busy size
	crowd                                    crowd
	crowded                                  crowdedCase
	roll                                     rollCase
	profiles                                 profilesCase
	queue                                    queueCase
	blockedNodes                             int
	creates                                  int
	clients                                  numbers
}

// benchCase is one table.
type benchCase interface {
	name() string
	title() string
	// measure runs all rounds and prints the table.
	measure(ctx context.Context, b *bench) error
}

func parseOptions(args []string) (*options, error) {
	o := &options{
		budgets: size{nodes: 10, used: 10, drained: 3, apps: 20, replicas: 8},
		free:    size{nodes: 20, used: 20, drained: 5, apps: 20, replicas: 51},
		serial:  size{nodes: 8, used: 4, drained: 4, apps: 1, replicas: 24},
		wide:    size{nodes: 8, used: 4, drained: 2, apps: 1, replicas: 160},
		busy:    size{nodes: 40, used: 20, drained: 20, apps: 20, replicas: 30},
		crowd:   crowd{nodes: 5000, pods: 150000},
		crowded: crowdedCase{nodes: 300, holdsOfNode: 10},
		roll:    rollCase{nodes: 30, atOnce: 3, apps: 20, replicas: 15},
		queue:   queueCase{nodes: 5000, policies: 20, waiting: 500},
		clients: numbers{1, 8, 50},
		large:   size{nodes: 130, used: 100, drained: 100, apps: 30, replicas: 100},

		profiles: profilesCase{nodes: 500, profiles: 5, limit: 10},
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 1, "how often everything is measured; tables show medians")
	flags.IntVar(&o.kubectlRounds, "kubectl-rounds", 1, "in how many of the rounds kubectl is measured; it takes minutes")
	flags.StringVar(&o.names, "cases", "budgets,free,serial,wide,blocked,create,roll", "what to measure, in this order; there are large, crowd, crowded, queue and profiles besides")
	flags.BoolVar(&o.verbose, "verbose", false, "print each measurement to standard error")
	flags.StringVar(&o.server, "server", "", "program of our server, to compare two builds (default bin/maintenance-apiserver)")
	flags.IntVar(&o.replicas, "replicas", 1, "how many processes of our server there are, behind a balancer if there are several")
	flags.StringVar(&o.store, "store", "", "where our server stores (default embedded, for several replicas cluster)")
	const sizes = ": nodes,nodes with pods,nodes drained,apps,replicas of each"
	flags.Var(&o.budgets, "budgets", "size of case budgets"+sizes)
	flags.Var(&o.free, "free", "size of case free"+sizes)
	flags.Var(&o.serial, "serial", "size of case serial"+sizes)
	flags.Var(&o.wide, "wide", "size of case wide"+sizes)
	flags.Var(&o.large, "large", "size of case large"+sizes)
	flags.IntVar(&o.crowd.nodes, "crowd-nodes", o.crowd.nodes, "how many nodes nobody touches in case crowd")
	flags.IntVar(&o.crowd.pods, "crowd-pods", o.crowd.pods, "how many pods they have")
	flags.IntVar(&o.crowded.nodes, "crowded-nodes", o.crowded.nodes, "how many nodes are held in case crowded")
	flags.IntVar(&o.crowded.holdsOfNode, "crowded-holds", o.crowded.holdsOfNode, "how many holds each of them has, at most 32")
	flags.IntVar(&o.queue.nodes, "queue-nodes", o.queue.nodes, "how many nodes there are in case queue")
	flags.IntVar(&o.queue.policies, "queue-policies", o.queue.policies, "how many policies share them")
	flags.IntVar(&o.queue.waiting, "queue-waiting", o.queue.waiting, "how many holds wait")
	flags.IntVar(&o.profiles.nodes, "profiles-nodes", o.profiles.nodes, "how many nodes there are in case profiles")
	flags.IntVar(&o.profiles.profiles, "profiles-profiles", o.profiles.profiles, "how many profiles each of them has")
	flags.IntVar(&o.profiles.limit, "profiles-limit", o.profiles.limit, "how many of them may be in maintenance at a time")
	flags.IntVar(&o.roll.nodes, "roll-nodes", o.roll.nodes, "how many nodes are rolled in case roll")
	flags.IntVar(&o.roll.atOnce, "roll-at-once", o.roll.atOnce, "how many of them at a time")
	flags.IntVar(&o.roll.apps, "roll-apps", o.roll.apps, "how many apps have pods on them")
	flags.IntVar(&o.roll.replicas, "roll-replicas", o.roll.replicas, "how many pods each app has")
	flags.BoolVar(&o.roll.pack, "roll-pack", false, "in case roll, pods ask for half of the CPU of the nodes, and the scheduler fills node after node")
	flags.IntVar(&o.blockedNodes, "blocked-nodes", 50, "how many nodes are blocked for good in case blocked")
	flags.IntVar(&o.creates, "creates", 200, "how many objects of each kind are created in case create")
	flags.Var(&o.clients, "clients", "how many clients create them side by side, one number after the other")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.rounds < 1 || o.blockedNodes < 1 || o.creates < o.clients.most() {
		return nil, fmt.Errorf("-rounds and -blocked-nodes must be at least 1, -creates at least -clients")
	}
	if o.roll.atOnce < 1 || o.roll.nodes <= o.roll.atOnce || o.roll.apps < 1 || o.roll.replicas < 1 {
		return nil, fmt.Errorf("in case roll, there must be pods, and more nodes than go at a time")
	}
	if o.profiles.profiles < 1 || o.profiles.limit < 1 || o.profiles.nodes <= o.profiles.limit {
		return nil, fmt.Errorf("in case profiles, there must be a profile, and more nodes than may be in maintenance")
	}
	if o.queue.policies < 1 || o.queue.waiting < 1 || o.queue.nodes < o.queue.policies+o.queue.waiting {
		return nil, fmt.Errorf("in case queue, there must be a policy, and a node for each of them and for each hold that waits")
	}
	for _, restarts := range []benchCase{&o.crowded, &o.queue, &o.profiles} {
		if slices.Contains(strings.Split(o.names, ","), restarts.name()) && o.replicas > 1 {
			return nil, fmt.Errorf("case %s restarts one server; leave out -replicas", restarts.name())
		}
	}
	return o, o.checkNames()
}

func (o *options) all() []benchCase {
	return []benchCase{
		&drainCase{id: "budgets", size: o.budgets, maxUnavailable: 1, tools: []string{toolOurs, toolKubectl, toolFloor}},
		&drainCase{id: "free", size: o.free, maxUnavailable: noBudget, tools: []string{toolOurs, toolKubectl, toolFloor}},
		&drainCase{id: "serial", size: o.serial, maxUnavailable: 1, tools: []string{toolOurs, toolKubectl, toolFloor}},
		&drainCase{id: "wide", size: o.wide, maxUnavailable: o.wide.replicas / 2, tools: []string{toolOurs, toolKubectl, toolFloor}},
		&blockedCase{nodes: o.blockedNodes},
		&createCase{creates: o.creates, clients: o.clients},
		&o.roll,
		&drainCase{id: "large", size: o.large, maxUnavailable: noBudget, tools: []string{toolOurs, toolFloor}},
		&drainCase{id: "crowd", size: o.busy, maxUnavailable: noBudget, crowd: o.crowd, tools: []string{toolOurs}},
		&o.crowded,
		&o.queue,
		&o.profiles,
	}
}

// cases are those that were asked for, in the order asked for.
func (o *options) cases() []benchCase {
	var cases []benchCase
	for name := range strings.SplitSeq(o.names, ",") {
		for _, c := range o.all() {
			if c.name() == name {
				cases = append(cases, c)
			}
		}
	}
	return cases
}

func (o *options) checkNames() error {
	for name := range strings.SplitSeq(o.names, ",") {
		if !slices.ContainsFunc(o.all(), func(c benchCase) bool { return c.name() == name }) {
			return fmt.Errorf("there is no case %q", name)
		}
	}
	return nil
}

// size says how large a drain is.
type size struct {
	// nodes is how many there are; pods are put on the first used of them, and
	// the first drained of them are drained.
	nodes, used, drained int
	// apps is how many ReplicaSets there are, of so many replicas.
	apps, replicas int
}

// Set reads what String prints.
func (s *size) Set(value string) error {
	if _, err := fmt.Sscanf(value, "%d,%d,%d,%d,%d", &s.nodes, &s.used, &s.drained, &s.apps, &s.replicas); err != nil {
		return fmt.Errorf("could not read five numbers: %w", err)
	}
	if s.drained < 1 || s.used < s.drained || s.nodes < s.used || s.nodes == s.drained || s.apps < 1 || s.replicas < 2 {
		return fmt.Errorf("nodes must be left over, and there must be pods on those that are drained")
	}
	return nil
}

// String is empty for the zero value, as the flag package wants it.
func (s *size) String() string {
	if s == nil || *s == (size{}) {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d,%d,%d", s.nodes, s.used, s.drained, s.apps, s.replicas)
}

// podsDrained is how many pods there are on the nodes that are drained.
func (s size) podsDrained() int {
	pods := s.apps * s.replicas
	return pods/s.used*s.drained + min(pods%s.used, s.drained)
}
