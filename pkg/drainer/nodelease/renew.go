// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

// renewInterval is how often the leases that are ours are looked through for those that are due.
const renewInterval = time.Minute

// renewAll renews the leases that are ours, when they are due, until ctx is done. A node whose lease could not be
// renewed until shortly before its end is woken.
func (g *Gate) renewAll(ctx context.Context, wake func(node string)) {
	ticker := g.clock.NewTicker(renewInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			for _, n := range g.ours() {
				g.renew(ctx, n, wake)
			}
		}
	}
}

// ours are the nodes whose leases were ours when they were seen last.
func (g *Gate) ours() []*node {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []*node
	for _, n := range g.nodes {
		if n.lease != nil && isOurs(n.lease) {
			found = append(found, n)
		}
	}
	return found
}

// renew renews the node's lease if it is due. If somebody else has written it, or it ends soon, Acquire decides.
func (g *Gate) renew(ctx context.Context, n *node, wake func(node string)) {
	g.mu.Lock()
	lease, owner := n.lease, n.owner
	g.mu.Unlock()
	now := g.clock.Now()
	if !due(lease, owner, now) {
		return
	}
	if judge(lease, now) == ours {
		err := g.write(ctx, n, lease)
		if err == nil {
			return
		}
		klog.FromContext(ctx).Error(err, "Could not renew lease of node", "node", owner.Name)
		if !outrun(err) {
			return // the next tick tries again; the lease is valid for long
		}
	}
	g.doubt(n)
	wake(owner.Name)
}
