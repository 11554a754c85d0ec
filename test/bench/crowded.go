// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// crowdedReaders list everything at the same time.
	crowdedReaders = 100
	// crowdedWalks is how often all nodes are listed in pages, of so many nodes.
	crowdedWalks, crowdedPage = 50, 20
	crowdedTimeout            = 15 * time.Minute
)

// crowdedCase has many holds of stage Cordon at the same time, several on each node. The holds are
// listed and deleted, and the server is restarted with and without them.
type crowdedCase struct{ nodes, holdsOfNode int }

// crowdedStep is what one step took.
type crowdedStep struct {
	label       string
	took, spent time.Duration
	// memory is the server's peak resident memory, in MiB.
	memory float64
}

func (*crowdedCase) name() string { return "crowded" }

func (c *crowdedCase) title() string {
	return fmt.Sprintf("crowded: %d holds, %d on each of %d nodes", c.nodes*c.holdsOfNode, c.holdsOfNode, c.nodes)
}

func (c *crowdedCase) measure(ctx context.Context, b *bench) error {
	var nodes []string
	for i := range c.nodes {
		nodes = append(nodes, fmt.Sprintf("crowded-%d", i))
	}
	err := inParallel(nodes, setUpParallel, func(name string) error {
		_, err := b.kube.CoreV1().Nodes().Create(ctx, crowdNode(name), metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create nodes: %w", err)
	}
	var rounds [][]crowdedStep
	for range b.options.rounds {
		round, err := c.round(ctx, b, nodes)
		if err != nil {
			return err
		}
		rounds = append(rounds, round)
	}
	printCrowded(rounds)
	return b.removePool(ctx, &pool{nodes: nodes})
}

func (c *crowdedCase) round(ctx context.Context, b *bench, nodes []string) (round []crowdedStep, err error) {
	ctx, cancel := context.WithTimeout(ctx, crowdedTimeout)
	defer cancel()
	t := b.tools[toolOurs].(*ours)
	end, start, settle := b.controls(ctx)
	for _, step := range []struct {
		label       string
		prepare, do func() error
	}{
		{"start without holds", end, start},
		{"create all, until all nodes are cordoned", settle, func() error { return c.fill(ctx, t, nodes) }},
		{fmt.Sprintf("list the nodes %d times, in pages of %d", crowdedWalks, crowdedPage), settle, func() error { return walkNodes(ctx, t) }},
		{fmt.Sprintf("list all holds, %d times at once", crowdedReaders), settle, func() error { return listAtOnce(ctx, t) }},
		{"start with the holds", end, start},
		{"delete all, until the last is gone", settle, func() error { return clearHolds(ctx, t) }},
	} {
		if err := step.prepare(); err != nil {
			return nil, err
		}
		measured, err := b.step(step.label, step.do)
		if err != nil {
			return nil, fmt.Errorf("could not %s: %w", step.label, err)
		}
		b.logf("crowded %+v", measured)
		round = append(round, measured)
	}
	return round, nil
}

// controls end our server, start it, and wait until it serves through the aggregator.
func (b *bench) controls(ctx context.Context) (end, start, settle func() error) {
	end = func() error { _, err := b.server.Terminate(ctx); return err }
	start = func() error { return b.startServer(ctx) }
	settle = func() error { return b.server.WaitReady(ctx) }
	return end, start, settle
}

// step measures what our server needs while something is done, which may be to start it.
func (b *bench) step(label string, do func() error) (crowdedStep, error) {
	measured := crowdedStep{label: label}
	if b.server.Running() {
		if err := resetPeakMemory(b.server.PID()); err != nil {
			return measured, err
		}
	}
	before, err := b.processorTimes()
	if err != nil {
		return measured, err
	}
	begin := time.Now()
	if err := do(); err != nil {
		return measured, err
	}
	measured.took = time.Since(begin)
	after, err := b.processorTimes()
	if err != nil {
		return measured, err
	}
	measured.spent = after.since(before)[binaries.MaintenanceAPIServer]
	measured.memory, err = peakMemory(b.server.PID())
	return measured, err
}

// startServer starts the server, and returns when it says that it is ready.
func (b *bench) startServer(ctx context.Context) error {
	if err := b.server.Launch(ctx); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		return b.server.ReportsReady(ctx) == nil, nil
	})
}

// fill creates the holds, and waits until each has cordoned its node.
func (c *crowdedCase) fill(ctx context.Context, t *ours, nodes []string) error {
	var holds []*v1beta1.NodeMaintenance
	for i := range c.holdsOfNode {
		for _, node := range nodes {
			holds = append(holds, &v1beta1.NodeMaintenance{
				ObjectMeta: metav1.ObjectMeta{Name: node + "-" + strconv.Itoa(i)},
				Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageCordon, Reason: "benchmark"},
			})
		}
	}
	err := inParallel(holds, setUpParallel, func(hold *v1beta1.NodeMaintenance) error {
		_, err := t.holds().Create(ctx, hold, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create NodeMaintenances: %w", err)
	}
	return t.until(ctx, "status.phase!=Succeeded")
}

// until waits until no NodeMaintenance has these fields.
func (o *ours) until(ctx context.Context, none string) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := o.holds().List(ctx, metav1.ListOptions{FieldSelector: none, Limit: 1})
		return err == nil && len(list.Items) == 0, err
	})
}

func walkNodes(ctx context.Context, t *ours) error {
	for range crowdedWalks {
		options := metav1.ListOptions{Limit: crowdedPage}
		for first := true; first || options.Continue != ""; first = false {
			page, err := t.client.MaintenanceV1beta1().NodeStates().List(ctx, options)
			if err != nil {
				return err
			}
			options.Continue = page.Continue
		}
	}
	return nil
}

// listAtOnce reads the lists, and keeps nothing of them. A list that is refused since there is too much to do
// is tried again, as clients do.
func listAtOnce(ctx context.Context, t *ours) error {
	return inParallel(make([]struct{}, crowdedReaders), crowdedReaders, func(struct{}) error {
		body, err := t.client.MaintenanceV1beta1().RESTClient().Get().Resource("nodemaintenances").Stream(ctx)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, body)
		return closeAfter(body, err)
	})
}

func closeAfter(body io.Closer, err error) error {
	if closed := body.Close(); err == nil {
		return closed
	}
	return err
}

func clearHolds(ctx context.Context, t *ours) error {
	// A client gives a request up after a minute; the server goes on with what it has begun.
	err := t.holds().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	for apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) {
		err = t.holds().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	}
	if err != nil {
		return err
	}
	return t.until(ctx, "")
}

// printCrowded prints medians over the rounds, and the most memory.
func printCrowded(rounds [][]crowdedStep) {
	fmt.Println("| step | time | processor time of our server | its peak memory |")
	fmt.Println("|---|---|---|---|")
	for i := range rounds[0] {
		steps := collect(rounds, func(round []crowdedStep) crowdedStep { return round[i] })
		fmt.Printf("| %s | %s | %s | %.0f MiB |\n", steps[0].label,
			seconds(median(collect(steps, func(s crowdedStep) time.Duration { return s.took }))),
			seconds(median(collect(steps, func(s crowdedStep) time.Duration { return s.spent }))),
			slices.Max(collect(steps, func(s crowdedStep) float64 { return s.memory })))
	}
}
