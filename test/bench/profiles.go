// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	profilesTimeout = 30 * time.Minute
	// profilesIdle is how long nothing happens, and how long nodes take turns.
	profilesIdle = time.Minute
)

// profilesCase has several profiles on each node. At first no node needs maintenance, then all wait for it, and then all
// may go at once, of which few have room.
type profilesCase struct{ nodes, profiles, limit int }

// profilesStep is what one step took, evaluated and wrote.
type profilesStep struct {
	queueStep
	// evaluations is how often the checks of a profile on a node were evaluated.
	evaluations float64
}

func (*profilesCase) name() string { return "profiles" }

func (c *profilesCase) title() string {
	return fmt.Sprintf("profiles: %d profiles on each of %d nodes, %d in maintenance at most", c.profiles, c.nodes, c.limit)
}

func (c *profilesCase) measure(ctx context.Context, b *bench) error {
	ctx, cancel := context.WithTimeout(ctx, profilesTimeout)
	defer cancel()
	p, err := b.newPool(ctx, c.name(), c.nodes)
	if err != nil {
		return err
	}
	t := b.tools[toolOurs].(*ours)
	most := watchMost(ctx, t)
	steps, err := c.steps(ctx, b, t, p)
	if err != nil {
		return err
	}
	printProfiles(steps)
	fmt.Printf("\nAt most %d nodes were in maintenance, of %d that may be.\n", most(), c.limit)
	return b.removePool(ctx, p)
}

// steps has the profiles come to the nodes, wait, and take turns.
func (c *profilesCase) steps(ctx context.Context, b *bench, t *ours, p *pool) (steps []profilesStep, err error) {
	end, start, settle := b.controls(ctx)
	idle := func() error { return sleep(ctx, profilesIdle) }
	label := func(nodes []string, key string) error { return labelAll(ctx, b, nodes, key) }
	for _, step := range []struct {
		label       string
		prepare, do func() error
	}{
		{"start with the nodes alone", end, start},
		{"create the profiles, until each is on each node", settle, func() error { return c.create(ctx, t, p) }},
		{"no node needs maintenance, for " + profilesIdle.String(), settle, idle},
		{"all nodes need it, until all wait", settle, func() error {
			if err := label(p.nodes, neededLabel); err != nil {
				return err
			}
			return c.untilCounted(ctx, t, func(n v1beta1.ProfileCounts) int32 { return n.MaintenanceRequired })
		}},
		{"all wait, for " + profilesIdle.String(), settle, idle},
		{"all may go at once, until there is no more room", settle, func() error {
			if err := label(p.nodes[:1], goLabel); err != nil {
				return err
			}
			return t.untilInMaintenance(ctx, c.limit)
		}},
		{"they take turns, for " + profilesIdle.String(), settle, idle},
		{"start with the profiles", end, start},
		{"delete the profiles, until they are off all nodes", settle, func() error { return c.clear(ctx, t) }},
	} {
		measured, err := c.step(ctx, b, t, step.label, step.prepare, step.do)
		if err != nil {
			return nil, fmt.Errorf("could not measure %q: %w", step.label, err)
		}
		b.logf("profiles %+v", measured)
		steps = append(steps, measured)
	}
	return steps, nil
}

// step measures one step. What a server has evaluated counts from its start.
func (c *profilesCase) step(ctx context.Context, b *bench, t *ours, label string, prepare, do func() error) (profilesStep, error) {
	measured := profilesStep{}
	before, err := t.version(ctx)
	if err != nil {
		return measured, err
	}
	if err := prepare(); err != nil {
		return measured, err
	}
	evaluated, err := b.evaluations(ctx)
	if err != nil {
		return measured, err
	}
	if measured.crowdedStep, err = b.step(label, do); err != nil {
		return measured, err
	}
	after, err := t.version(ctx)
	if err != nil {
		return measured, err
	}
	measured.writes = after - before
	measured.evaluations, err = b.evaluations(ctx)
	measured.evaluations -= evaluated
	return measured, err
}

func labelAll(ctx context.Context, b *bench, nodes []string, key string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"yes"}}}`, key)
	return inParallel(nodes, setUpParallel, func(node string) error {
		_, err := b.kube.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// untilCounted waits until each profile says that so many of its nodes are all nodes.
func (c *profilesCase) untilCounted(ctx context.Context, t *ours, count func(v1beta1.ProfileCounts) int32) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := t.client.MaintenanceV1beta1().MaintenanceProfiles().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			if int(count(list.Items[i].Status.Counts)) != c.nodes {
				return false, nil
			}
		}
		return len(list.Items) == c.profiles, nil
	})
}

func printProfiles(steps []profilesStep) {
	fmt.Println("| step | time | processor time of our server | its peak memory | evaluations | writes of its store |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, step := range steps {
		fmt.Printf("| %s | %s | %s | %.0f MiB | %.0f | %d |\n",
			step.label, seconds(step.took), seconds(step.spent), step.memory, step.evaluations, step.writes)
	}
}
