// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// kubectlPatience is how long kubectl may take for the free node: it drains
	// the nodes in turn, and would wait for ever for the first.
	kubectlPatience = 10 * time.Second
	freePods        = 4
)

// blockedCase has nodes whose drain is blocked for good, and a free one that is
// asked for after them; and then the blocked ones are given back.
type blockedCase struct{ nodes int }

// blockedRun is what came of it, once.
type blockedRun struct {
	// firstEviction is the time when the first pod of the free node was asked to go, since
	// the node was asked for.
	firstEviction time.Duration
	// released are until each blocked node could be scheduled to again, since its
	// NodeMaintenance was deleted.
	released []time.Duration
	calls    *calls
}

func (*blockedCase) name() string { return "blocked" }

func (c *blockedCase) title() string {
	return fmt.Sprintf("blocked: %d nodes blocked for good, one free node asked for after them", c.nodes)
}

func (c *blockedCase) measure(ctx context.Context, b *bench) error {
	pool, err := b.newPool(ctx, c.name(), c.nodes+2) // the last takes the free node's pods
	if err != nil {
		return err
	}
	var runs []blockedRun
	kubectl := "not measured"
	for round := range b.options.rounds {
		run, err := c.ours(ctx, b, pool)
		if err != nil {
			return fmt.Errorf("round %d of ours: %w", round+1, err)
		}
		b.logf("blocked %+v", run)
		runs = append(runs, run)
		if round >= b.options.kubectlRounds {
			continue
		}
		if kubectl, err = c.kubectl(ctx, b, pool); err != nil {
			return fmt.Errorf("round %d of kubectl: %w", round+1, err)
		}
	}
	c.print(runs, kubectl)
	return b.removePool(ctx, pool)
}

// start puts a pod that may never go on each blocked node, and some that may on
// the free one.
func (c *blockedCase) start(ctx context.Context, b *bench, p *pool) (*workload, *observer, error) {
	w := &workload{kube: b.kube, namespace: b.namespace(c.name()), pool: p.name, apps: []app{
		{name: "stuck", nodes: p.nodes[:c.nodes], maxUnavailable: 0},
		{name: "free", nodes: slices.Repeat(p.nodes[c.nodes:c.nodes+1], freePods), maxUnavailable: noBudget},
	}}
	if err := w.create(ctx); err != nil {
		return nil, nil, err
	}
	o, err := observe(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	return w, o, o.waitQuiet(ctx)
}

func (c *blockedCase) ours(ctx context.Context, b *bench, p *pool) (run blockedRun, err error) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	w, o, err := c.start(ctx, b, p)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, o.stop(), w.remove(ctx)) }()
	t := b.tools[toolOurs].(*ours)
	begin := time.Now()
	if err := t.block(ctx, p.nodes[:c.nodes]); err != nil {
		return run, err
	}
	free := p.nodes[c.nodes : c.nodes+1]
	asked := time.Now()
	if err := t.create(ctx, free); err != nil {
		return run, err
	}
	if err := o.waitEmpty(ctx, free); err != nil {
		return run, err
	}
	run.firstEviction = o.deletedAt(free[0]).Sub(asked)
	if run.calls, err = b.callsOf(t.user(), begin, time.Now()); err != nil {
		return run, err
	}
	for _, node := range p.nodes[:c.nodes] {
		released, err := b.release(ctx, t, node)
		if err != nil {
			return run, err
		}
		run.released = append(run.released, released)
	}
	return run, t.giveBack(ctx, p.nodes[:c.nodes+1])
}

// block asks for nodes and returns when all are said to be blocked.
func (o *ours) block(ctx context.Context, nodes []string) error {
	if err := o.prepare(ctx, nil, nodes); err != nil {
		return err
	}
	defer o.watched.Stop()
	if err := o.create(ctx, nodes); err != nil {
		return err
	}
	_, err := conditionTimes(ctx, o.watched, v1beta1.ConditionBlocked, nodes)
	return err
}

// release deletes a node's NodeMaintenance and returns how long it took until
// pods could be scheduled to the node.
func (b *bench) release(ctx context.Context, t *ours, node string) (time.Duration, error) {
	watched, err := b.kube.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, node).String(),
	})
	if err != nil {
		return 0, fmt.Errorf("could not watch node %s: %w", node, err)
	}
	defer watched.Stop()
	begin := time.Now()
	if err := t.holds().Delete(ctx, node, metav1.DeleteOptions{}); err != nil {
		return 0, fmt.Errorf("could not delete NodeMaintenance %s: %w", node, err)
	}
	for event := range watched.ResultChan() {
		if changed, isNode := event.Object.(*corev1.Node); isNode && schedulable(changed) {
			return time.Since(begin), nil
		}
	}
	return 0, fmt.Errorf("the watch ended before node %s was given back", node)
}

func schedulable(node *corev1.Node) bool {
	return !node.Spec.Unschedulable && len(node.Spec.Taints) == 0
}

// kubectl drains the blocked nodes and the free one as one command does.
func (c *blockedCase) kubectl(ctx context.Context, b *bench, p *pool) (found string, err error) {
	w, o, err := c.start(ctx, b, p)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, o.stop(), w.remove(ctx)) }()
	nodes := p.nodes[:c.nodes+1]
	t := b.tools[toolKubectl].(*kubectl)
	impatient, cancel := context.WithTimeout(ctx, kubectlPatience)
	defer cancel()
	begin := time.Now()
	if err := t.run(impatient, drainArgs(nodes...)...); err != nil && impatient.Err() == nil {
		return "", err
	}
	found = fmt.Sprintf("not within %s", seconds(kubectlPatience))
	if at := o.deletedAt(nodes[c.nodes]); !at.IsZero() {
		found = seconds(at.Sub(begin))
	}
	return found, t.giveBack(ctx, nodes)
}

func (c *blockedCase) print(runs []blockedRun, kubectl string) {
	var released []time.Duration
	for _, r := range runs {
		released = append(released, r.released...)
	}
	first := collect(runs, func(r blockedRun) time.Duration { return r.firstEviction })
	fmt.Println("| tool | rounds | free node's first eviction: median / most | evictions accepted / 429 / failed | delete during a blocked drain until schedulable: median / most |")
	fmt.Println("|---|---|---|---|---|")
	fmt.Printf("| %s | %d | %s / %s | %d / %d / %d | %s / %s |\n", toolOurs, len(runs),
		milliseconds(median(first)), milliseconds(slices.Max(first)),
		median(collect(runs, func(r blockedRun) int { return r.calls.accepted })),
		slices.Max(collect(runs, func(r blockedRun) int { return r.calls.refused })),
		slices.Max(collect(runs, func(r blockedRun) int { return r.calls.failed })),
		milliseconds(median(released)), milliseconds(slices.Max(released)))
	fmt.Printf("| kubectl, one command for all | | %s | | – |\n", kubectl)
}
