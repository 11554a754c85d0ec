// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	queueLabel   = "bench.example.com/policy"
	queueTimeout = 15 * time.Minute
	// queueIdle is how long nothing happens in the queue.
	queueIdle = time.Minute
)

// queueCase has holds wait in a large cluster: each policy lets one of its nodes go, and the holds of all others
// wait.
type queueCase struct{ nodes, policies, waiting int }

// queueStep is what one step took, and wrote.
type queueStep struct {
	crowdedStep
	// writes is how often our server's store was written.
	writes int64
}

func (*queueCase) name() string { return "queue" }

func (c *queueCase) title() string {
	return fmt.Sprintf("queue: %d nodes, %d policies, %d holds that wait", c.nodes, c.policies, c.waiting)
}

func (c *queueCase) measure(ctx context.Context, b *bench) error {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	nodes := make([]string, c.nodes)
	for i := range nodes {
		nodes[i] = "queue-" + strconv.Itoa(i)
	}
	err := inParallel(nodes, setUpParallel, func(name string) error {
		node := crowdNode(name)
		node.Labels[queueLabel] = strconv.Itoa(slices.Index(nodes, name) % c.policies)
		_, err := b.kube.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create nodes: %w", err)
	}
	steps, err := c.steps(ctx, b, nodes[:c.waiting+c.policies])
	if err != nil {
		return err
	}
	printQueue(steps)
	return b.removePool(ctx, &pool{nodes: nodes})
}

// steps has the nodes held, of which one of each policy goes.
func (c *queueCase) steps(ctx context.Context, b *bench, nodes []string) (steps []queueStep, err error) {
	t := b.tools[toolOurs].(*ours)
	end, start, settle := b.controls(ctx)
	for _, step := range []struct {
		label       string
		prepare, do func() error
	}{
		{"start with the nodes alone", end, start},
		{"create the policies", settle, func() error { return c.createPolicies(ctx, t) }},
		{"create the holds, until all of them go or wait", settle, func() error { return c.hold(ctx, t, nodes) }},
		{"the cluster finds all nodes not ready, for " + queueIdle.String(), settle, func() error { return sleep(ctx, queueIdle) }},
		{"nothing, for " + queueIdle.String(), settle, func() error { return sleep(ctx, queueIdle) }},
		{"give back those that went, until the next ones went", settle, func() error { return c.giveBack(ctx, t) }},
		{"start with the holds", end, start},
		{"delete the policies and all holds, until the last is gone", settle, func() error { return c.clear(ctx, t) }},
	} {
		before, err := t.version(ctx)
		if err != nil {
			return nil, err
		}
		if err := step.prepare(); err != nil {
			return nil, err
		}
		measured, err := b.step(step.label, step.do)
		if err != nil {
			return nil, fmt.Errorf("could not %s: %w", step.label, err)
		}
		after, err := t.version(ctx)
		if err != nil {
			return nil, err
		}
		steps = append(steps, queueStep{crowdedStep: measured, writes: after - before})
		b.logf("queue %+v", steps[len(steps)-1])
	}
	return steps, nil
}

// version counts the writes of our server's store. A server that was just started may not be reached at once.
func (o *ours) version(ctx context.Context) (version int64, err error) {
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, failed := o.holds().List(ctx, metav1.ListOptions{Limit: 1})
		if failed == nil {
			version, err = strconv.ParseInt(list.ResourceVersion, 10, 64)
		}
		return failed == nil, err
	})
	return version, err
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *queueCase) createPolicies(ctx context.Context, t *ours) error {
	one := intstr.FromInt32(1)
	for i := range c.policies {
		number := strconv.Itoa(i)
		policy := &v1beta1.MaintenancePolicy{
			ObjectMeta: metav1.ObjectMeta{Name: "queue-" + number},
			Spec: v1beta1.MaintenancePolicySpec{
				NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{queueLabel: number}},
				Limits:       v1beta1.PolicyLimits{MaxConcurrent: &one},
			},
		}
		if _, err := t.client.MaintenanceV1beta1().MaintenancePolicies().Create(ctx, policy, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("could not create policy: %w", err)
		}
	}
	return nil
}

// hold creates a hold for each node, and waits until each of them says that it goes or what it waits for.
func (c *queueCase) hold(ctx context.Context, t *ours, nodes []string) error {
	err := inParallel(nodes, setUpParallel, func(node string) error {
		_, err := t.holds().Create(ctx, &v1beta1.NodeMaintenance{
			ObjectMeta: metav1.ObjectMeta{Name: node},
			Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageCordon, Reason: "benchmark"},
		}, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create NodeMaintenances: %w", err)
	}
	return c.untilTold(ctx, t)
}

// untilTold waits until one hold of each policy has gone, and each other one says what it waits for.
func (c *queueCase) untilTold(ctx context.Context, t *ours) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := t.holds().List(ctx, metav1.ListOptions{})
		return err == nil && c.told(list.Items), err
	})
}

func (c *queueCase) told(holds []v1beta1.NodeMaintenance) bool {
	gone := 0
	for i := range holds {
		switch admission := holds[i].Status.Admission; {
		case holds[i].Status.Phase == v1beta1.PhaseSucceeded:
			gone++
		case admission == nil || len(admission.WaitingFor) == 0:
			return false
		}
	}
	return gone == c.policies
}

func (c *queueCase) giveBack(ctx context.Context, t *ours) error {
	list, err := t.holds().List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Succeeded"})
	if err != nil {
		return fmt.Errorf("could not list NodeMaintenances: %w", err)
	}
	for i := range list.Items {
		if err := t.holds().Delete(ctx, list.Items[i].Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("could not delete NodeMaintenance: %w", err)
		}
	}
	return c.untilTold(ctx, t)
}

func (c *queueCase) clear(ctx context.Context, t *ours) error {
	if err := t.client.MaintenanceV1beta1().MaintenancePolicies().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("could not delete policies: %w", err)
	}
	return clearHolds(ctx, t)
}

func printQueue(steps []queueStep) {
	fmt.Println("| step | time | processor time of our server | its peak memory | writes of its store |")
	fmt.Println("|---|---|---|---|---|")
	for _, step := range steps {
		fmt.Printf("| %s | %s | %s | %.0f MiB | %d |\n", step.label, seconds(step.took), seconds(step.spent), step.memory, step.writes)
	}
}
