// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// createCase has clients create objects side by side: ConfigMaps, custom resources of
// the same schema as our holds with a webhook that validates them, and holds of stage
// Idle on nodes that are not there, in each way that a hold is created.
type createCase struct {
	// creates is how many objects of each kind are created in a round.
	creates int
	// clients are how many clients create them, one number after the other.
	clients numbers
}

func (*createCase) name() string { return "create" }

func (c *createCase) title() string {
	return fmt.Sprintf("create: %d objects of each kind, %s clients side by side", c.creates, &c.clients)
}

func (c *createCase) measure(ctx context.Context, b *bench) (err error) {
	w := &workload{kube: b.kube, namespace: b.namespace(c.name())}
	if err := w.createNamespace(ctx); err != nil {
		return err
	}
	custom, err := newCustomResource(ctx, b)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, custom.remove(ctx)) }()
	t := b.tools[toolOurs].(*ours)
	creators, err := newCreators(t.config, w.namespace, c.clients.most())
	if err != nil {
		return err
	}
	creations := newCreations(b, t, custom, w.namespace)
	if err := c.warmUp(ctx, creators, creations); err != nil {
		return err
	}
	for _, clients := range c.clients {
		runs, err := c.rounds(ctx, b, creators[:clients], creations)
		if err != nil {
			return err
		}
		printCreates(clients, creations, runs)
	}
	return nil
}

// warmUp makes each client's connections, and those between the servers.
func (c *createCase) warmUp(ctx context.Context, creators []creator, creations []creation) error {
	for i := range creations {
		if _, err := createAll(ctx, creators, &creations[i], c.names("warm-up", i), dryRun); err != nil {
			return fmt.Errorf("could not rehearse the creation of %s: %w", creations[i].label, err)
		}
	}
	return nil
}

// rounds measures all kinds in turn and returns the rounds of each kind. The order differs
// from round to round: what a kind leaves behind must not always meet the same other.
func (c *createCase) rounds(ctx context.Context, b *bench, creators []creator, creations []creation) ([][]createRun, error) {
	runs := make([][]createRun, len(creations))
	for round := range b.options.rounds {
		for _, i := range rand.New(rand.NewPCG(uint64(round), 0)).Perm(len(creations)) {
			names := c.names(fmt.Sprintf("dry-%d-%d", len(creators), round), i)
			run, err := measureCreates(ctx, b, creators, &creations[i], names)
			if err != nil {
				return nil, fmt.Errorf("could not measure the creation of %s: %w", creations[i].label, err)
			}
			runs[i] = append(runs[i], run)
		}
	}
	return runs, nil
}

func (c *createCase) names(prefix string, kind int) []string {
	names := make([]string, 0, c.creates)
	for i := range c.creates {
		names = append(names, fmt.Sprintf("%s-%d-%d", prefix, kind, i))
	}
	return names
}

// createRun is one round of one kind.
type createRun struct {
	// took is how long each create took.
	took []time.Duration
	// spent is the processor time that all creates took together, by program.
	spent processorTimes
}

// measureCreates creates one kind once, and removes what it created.
func measureCreates(ctx context.Context, b *bench, creators []creator, what *creation, names []string) (run createRun, err error) {
	if what.rehearse {
		if _, err := createAll(ctx, creators, what, names, dryRun); err != nil {
			return run, err
		}
	}
	before, err := b.processorTimes()
	if err != nil {
		return run, err
	}
	if run.took, err = createAll(ctx, creators, what, names, metav1.CreateOptions{}); err != nil {
		return run, err
	}
	after, err := b.processorTimes()
	if err != nil {
		return run, err
	}
	run.spent = after.since(before)
	return run, what.remove(ctx, names)
}

// createAll returns how long each create took. Every client makes its share, one
// after the other.
func createAll(ctx context.Context, creators []creator, what *creation, names []string, options metav1.CreateOptions) ([]time.Duration, error) {
	took := make([]time.Duration, len(names))
	clients := make([]int, len(creators))
	for i := range clients {
		clients[i] = i
	}
	return took, inParallel(clients, len(clients), func(client int) error {
		for i := client; i < len(names); i += len(creators) {
			begin := time.Now()
			if err := what.create(ctx, creators[client], names[i], options); err != nil {
				return err
			}
			took[i] = time.Since(begin)
		}
		return nil
	})
}
