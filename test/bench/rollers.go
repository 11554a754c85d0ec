// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// rollers are ours with marks and without, and kubectl, which is the last: the others are compared with it.
func (b *bench) rollers(p *pool) []roller {
	t, k := b.tools[toolOurs].(*ours), b.tools[toolKubectl].(*kubectl)
	ours := func(mark bool) func(context.Context, []string, int) error {
		return func(ctx context.Context, nodes []string, atOnce int) error {
			return t.roll(ctx, p, nodes, atOnce, mark)
		}
	}
	return []roller{
		{label: "ours", roll: ours(true)},
		{label: "ours, no marks", roll: ours(false)},
		{label: "loop of kubectl drain", roll: k.roll},
	}
}

// roll asks for all nodes at once. The policy says which of them go when.
func (o *ours) roll(ctx context.Context, p *pool, nodes []string, atOnce int, mark bool) (err error) {
	policies := o.client.MaintenanceV1beta1().MaintenancePolicies()
	policy := rollPolicy(p, atOnce, mark)
	if _, err := policies.Create(ctx, policy, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("could not create the policy: %w", err)
	}
	defer func() {
		err = errors.Join(err, policies.Delete(context.WithoutCancel(ctx), policy.Name, metav1.DeleteOptions{}))
	}()
	return o.rollAll(ctx, nodes)
}

// rollAll creates all holds, works on each node that is drained, and ends its hold then.
func (o *ours) rollAll(ctx context.Context, nodes []string) error {
	if err := o.prepare(ctx, nil, nil); err != nil {
		return err
	}
	defer o.watched.Stop()
	if err := o.create(ctx, nodes); err != nil {
		return err
	}
	var running sync.WaitGroup
	ends := make(chan error, len(nodes))
	err := onCondition(ctx, o.watched, v1beta1.ConditionDrained, nodes, func(node string) {
		running.Go(func() { ends <- o.finish(ctx, node) })
	})
	running.Wait()
	close(ends)
	for end := range ends {
		err = errors.Join(err, end)
	}
	return err
}

// finish works on a node that is drained, and gives it back.
func (o *ours) finish(ctx context.Context, node string) error {
	if err := work(ctx); err != nil {
		return err
	}
	return o.giveBack(ctx, []string{node})
}

func rollPolicy(p *pool, atOnce int, mark bool) *v1beta1.MaintenancePolicy {
	return &v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: p.name},
		Spec: v1beta1.MaintenancePolicySpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{poolLabel: p.name}},
			Limits:       v1beta1.PolicyLimits{MaxConcurrent: new(intstr.FromInt(atOnce))},
			Queue:        v1beta1.PolicyQueueSpec{MarkWaiting: &mark},
		},
	}
}

// roll takes the nodes by name, as a person's loop does: as many processes as may be, each for the next node.
func (k *kubectl) roll(ctx context.Context, nodes []string, atOnce int) error {
	return inParallel(nodes, atOnce, func(node string) error {
		if err := k.run(ctx, drainArgs(node)...); err != nil {
			return err
		}
		if err := work(ctx); err != nil {
			return err
		}
		return k.run(ctx, "uncordon", node)
	})
}

// work is done on a node that is drained.
func work(ctx context.Context) error {
	timer := time.NewTimer(rollWork)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
