// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// take takes the node's lease unless it is ours already. If another holder has it, it returns that lease. When
// somebody else is faster, it looks once more whose the lease is.
func (g *Gate) take(ctx context.Context, object *corev1.Node) (n *node, foreign *coordinationv1.Lease, err error) {
	g.mu.Lock()
	n = g.of(object)
	g.mu.Unlock()
	if foreign, err = g.takeOnce(ctx, n); outrun(err) {
		foreign, err = g.takeOnce(ctx, n)
	}
	return n, foreign, err
}

func (g *Gate) takeOnce(ctx context.Context, n *node) (*coordinationv1.Lease, error) {
	lease, err := g.current(ctx, n)
	if err != nil {
		return nil, err
	}
	switch judge(lease, g.clock.Now()) {
	case foreign:
		return lease, nil
	case ours:
		return nil, nil
	}
	if err = g.write(ctx, n, lease); err != nil {
		g.doubt(n)
	}
	return nil, err
}

// current is the node's lease: as it is remembered, or else as the API server has it. A lease that another holder
// has is read anew from time to time: a watch that ended in silence would hide that it is free. If that fails, what
// is remembered counts.
func (g *Gate) current(ctx context.Context, n *node) (*coordinationv1.Lease, error) {
	g.mu.Lock()
	remembered, known := n.lease, n.known
	now := g.clock.Now()
	if known && (judge(remembered, now) != foreign || now.Sub(n.read) < askInterval) {
		defer g.mu.Unlock()
		return remembered, nil
	}
	n.known = g.watching // from now on, the watch shows what we do not
	name := g.form.leaseOf(n.owner.Name)
	g.mu.Unlock()
	lease, err := g.client.get(ctx, name)
	if err != nil && known {
		klog.FromContext(ctx).Error(err, "Could not read lease of another holder again", "node", n.owner.Name)
		return remembered, nil
	}
	if err != nil {
		g.doubt(n)
		return nil, err
	}
	g.saw(n, lease)
	return lease, nil
}

// write takes the lease, or renews it.
func (g *Gate) write(ctx context.Context, n *node, lease *coordinationv1.Lease) error {
	g.mu.Lock()
	owner := n.owner
	g.mu.Unlock()
	now := g.clock.Now()
	next := made(g.form.leaseOf(owner.Name), owner, now)
	if lease != nil {
		next = taken(lease, owner, now)
	}
	g.renews(n, now)
	defer g.renews(n, time.Time{})
	written, err := g.client.write(ctx, next)
	if err != nil {
		return err
	}
	g.saw(n, written)
	klog.FromContext(ctx).V(2).Info("Took or renewed lease of node", "node", owner.Name, "transitions", ptr.Deref(written.Spec.LeaseTransitions, 0))
	return nil
}
