// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	rollTimeout = 15 * time.Minute
	// rollWork is how long each node is worked on once it is drained, as a short reboot.
	rollWork = 2 * time.Second
	// nodeMilliCPU is how much CPU a simulated node has.
	nodeMilliCPU = 32_000
)

// rollCase takes all nodes of a pool out of service and gives them back, some at a time. What is evicted from one
// node goes to those that are still to come or that were back already, as the scheduler says.
type rollCase struct {
	nodes, atOnce, apps, replicas int
	// pack has the scheduler fill node after node.
	pack bool
}

// roller is one way to do so.
type roller struct {
	label string
	// roll returns when the last node is back.
	roll func(ctx context.Context, nodes []string, atOnce int) error
}

// rollRun is what it took, once.
type rollRun struct {
	round int
	took  time.Duration
	// pods is how many there were, and evicted how many left a node, each counted as often as one of its
	// replacements left again.
	pods, evicted int
	broken        int
}

// again is how often a pod was moved more than the once that is needed.
func (r rollRun) again() float64 { return float64(r.evicted-r.pods) / float64(r.pods) }

func (*rollCase) name() string { return "roll" }

func (c *rollCase) title() string {
	title := fmt.Sprintf("roll: %d nodes with %d pods, %d at a time, %d budgets of maxUnavailable %d",
		c.nodes, c.apps*c.replicas, c.atOnce, c.apps, c.maxUnavailable())
	if c.pack {
		title += ", the scheduler fills node after node"
	}
	return title
}

// requests is what a pod asks for: all of them for half of the CPU of all nodes, if that matters to the scheduler.
func (c *rollCase) requests() corev1.ResourceList {
	if !c.pack {
		return nil
	}
	cpu := nodeMilliCPU * int64(c.nodes) / int64(2*c.apps*c.replicas)
	return corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(cpu, resource.DecimalSI)}
}

// maxUnavailable is that of each app's budget: as many pods as leave at a time on average, and one more.
func (c *rollCase) maxUnavailable() int { return c.replicas*c.atOnce/c.nodes + 1 }

func (c *rollCase) measure(ctx context.Context, b *bench) error {
	pool, err := b.newPool(ctx, c.name(), c.nodes)
	if err != nil {
		return err
	}
	rollers := b.rollers(pool)
	runs := map[string][]rollRun{}
	for round := range b.options.rounds {
		for turn := range rollers {
			r := rollers[(turn+round)%len(rollers)]
			run, err := c.run(ctx, b, pool, r, round)
			if err != nil {
				return fmt.Errorf("round %d of %s: %w", round+1, r.label, err)
			}
			b.logf("roll: %s, round %d: %s, moved again %.2f", r.label, round+1, run.took, run.again())
			runs[r.label] = append(runs[r.label], *run)
		}
	}
	printRolls(rollers, runs)
	return b.removePool(ctx, pool)
}

// run has one roller roll a fresh workload, and removes it again.
func (c *rollCase) run(ctx context.Context, b *bench, pool *pool, r roller, round int) (run *rollRun, err error) {
	ctx, cancel := context.WithTimeout(ctx, rollTimeout)
	defer cancel()
	even := size{nodes: c.nodes, used: c.nodes, drained: c.nodes, apps: c.apps, replicas: c.replicas}
	w := &workload{
		kube: b.kube, namespace: b.namespace(c.name()), pool: pool.name,
		apps: spread(even, pool.nodes, c.maxUnavailable(), uint64(round)), requests: c.requests(),
	}
	if err := w.create(ctx); err != nil {
		return nil, err
	}
	o, err := observe(ctx, w)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.remove(context.WithoutCancel(ctx))) }()
	defer func() { err = errors.Join(err, o.stop()) }()
	if err := o.waitQuiet(ctx); err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := r.roll(ctx, pool.nodes, c.atOnce); err != nil {
		return nil, err
	}
	run = &rollRun{round: round, took: time.Since(begin), pods: c.apps * c.replicas}
	run.evicted, run.broken = o.leftCount()
	return run, nil
}

// printRolls prints medians over the rounds, and the ratio to the last roller, round by round.
func printRolls(rollers []roller, runs map[string][]rollRun) {
	fmt.Println("| tool | rounds | time | pods moved again, of each pod | budgets broken |")
	fmt.Println("|---|---|---|---|---|")
	for _, r := range rollers {
		of := runs[r.label]
		fmt.Printf("| %s | %d | %s | %.2f | %d |\n", r.label, len(of),
			seconds(median(collect(of, func(run rollRun) time.Duration { return run.took }))),
			median(collect(of, rollRun.again)),
			quantile(collect(of, func(run rollRun) int { return run.broken }), 1))
	}
	fmt.Println()
	loop := rollers[len(rollers)-1]
	for _, r := range rollers[:len(rollers)-1] {
		var ratios []float64
		for i := range runs[r.label] {
			ratios = append(ratios, float64(runs[r.label][i].took)/float64(runs[loop.label][i].took))
		}
		fmt.Printf("- %s / %s, time: %.2f\n", r.label, loop.label, median(ratios))
	}
}
