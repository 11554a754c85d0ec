// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// drainTimeout bounds one drain: kubectl takes 5 s a pod where pods wait for
// each other.
const drainTimeout = 5 * time.Minute

// drainCase has each tool drain the same nodes of the same workload.
type drainCase struct {
	id   string
	size size
	// maxUnavailable is that of each app's budget; noBudget: there are none.
	maxUnavailable int
	// crowd is what else there is in the cluster.
	crowd crowd
	tools []string
}

// drainRun is what one tool took for it, once.
type drainRun struct {
	round int
	// makespan is until all nodes were empty, said until the tool knew it, each
	// until one node was empty.
	makespan, said time.Duration
	each           []time.Duration
	// pods is how many there were on the nodes.
	pods      int
	calls     *calls
	reactions []time.Duration
	broken    int
	memory    float64
}

func (c *drainCase) name() string { return c.id }

func (c *drainCase) title() string {
	budgets := "no budgets"
	switch {
	case c.maxUnavailable == noBudget:
	case c.size.apps == 1:
		budgets = fmt.Sprintf("one budget of maxUnavailable %d", c.maxUnavailable)
	default:
		budgets = fmt.Sprintf("%d budgets of maxUnavailable %d", c.size.apps, c.maxUnavailable)
	}
	if c.crowd.nodes > 0 {
		budgets += fmt.Sprintf(", beside %d nodes with %d pods that nobody touches", c.crowd.nodes, c.crowd.pods)
	}
	return fmt.Sprintf("%s: %d of %d nodes, %d pods on them, %s", c.id, c.size.drained, c.size.nodes, c.size.podsDrained(), budgets)
}

func (c *drainCase) measure(ctx context.Context, b *bench) error {
	pool, err := b.newPool(ctx, c.id, c.size.nodes)
	if err != nil {
		return err
	}
	if err := c.crowd.create(ctx, b); err != nil {
		return err
	}
	runs := map[string][]drainRun{}
	for round := range b.options.rounds {
		for turn := range c.tools {
			// Each tool is the first in turn, so that none gains by it.
			name := c.tools[(turn+round)%len(c.tools)]
			if name == toolKubectl && round >= b.options.kubectlRounds {
				continue
			}
			run, err := c.run(ctx, b, pool, name, round)
			if err != nil {
				return fmt.Errorf("round %d of %s: %w", round+1, name, err)
			}
			b.logf("%s: %s, round %d: empty after %s", c.id, name, round+1, run.makespan)
			runs[name] = append(runs[name], *run)
		}
	}
	printDrains(c.tools, runs)
	return b.removePool(ctx, pool)
}

// run has one tool drain a fresh workload, and removes it again.
func (c *drainCase) run(ctx context.Context, b *bench, pool *pool, name string, round int) (*drainRun, error) {
	w := &workload{
		kube: b.kube, namespace: b.namespace(c.id), pool: pool.name,
		apps: spread(c.size, pool.nodes, c.maxUnavailable, uint64(round)),
	}
	if err := w.create(ctx); err != nil {
		return nil, err
	}
	nodes := pool.nodes[:c.size.drained]
	run, err := b.measureDrain(ctx, w, b.tools[name], nodes)
	if err != nil {
		return nil, err
	}
	run.round = round
	if err := b.tools[name].giveBack(ctx, nodes); err != nil {
		return nil, err
	}
	return run, w.remove(ctx)
}

// measureDrain has a tool drain nodes, and returns when the nodes are empty and
// the tool has said so.
func (b *bench) measureDrain(ctx context.Context, w *workload, t tool, nodes []string) (run *drainRun, err error) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	o, err := observe(ctx, w)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.stop()) }()
	if err := o.waitQuiet(ctx); err != nil {
		return nil, err
	}
	if err := t.prepare(ctx, w, nodes); err != nil {
		return nil, err
	}
	if err := b.resetPeakMemory(); err != nil {
		return nil, err
	}
	run = &drainRun{pods: o.podsOn(nodes)}
	begin := time.Now()
	said, err := t.drain(ctx, nodes)
	if err != nil {
		return nil, err
	}
	if err := o.waitEmpty(ctx, nodes); err != nil {
		return nil, err
	}
	run.take(o, nodes, begin, said)
	if run.calls, err = b.callsOf(t.user(), begin, time.Now()); err != nil {
		return nil, err
	}
	broken, freed := o.outcome()
	run.broken, run.reactions = broken, run.calls.reactions(freed)
	run.memory, err = b.peakMemory()
	return run, err
}

// take notes the times. A tool that does not say when a node is empty is taken
// to know it at once.
func (r *drainRun) take(o *observer, nodes []string, begin time.Time, said map[string]time.Time) {
	emptied, last := o.emptiedAt(nodes)
	for _, at := range emptied {
		r.each = append(r.each, at.Sub(begin))
	}
	r.makespan, r.said = last.Sub(begin), last.Sub(begin)
	for _, at := range said {
		r.said = max(r.said, at.Sub(begin))
	}
}
