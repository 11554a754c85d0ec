// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

// Run implements drainer.Gate: it watches the leases, and renews those that are ours. A node whose lease has
// changed is woken. So is, once at the beginning, each node whose lease is ours: its maintenance may have ended
// before the lease could be dropped. At its end it forgets everything: another process may lead next.
func (g *Gate) Run(ctx context.Context, wake func(node string)) {
	var running sync.WaitGroup
	defer running.Wait()
	defer g.forgetAll()
	running.Go(func() { g.renewAll(ctx, wake) })
	leases := watched.New(watched.Config{By: "leases", Resource: "leases", Clients: g.client.kube},
		g.client.kube.CoordinationV1().Leases(g.client.namespace), &coordinationv1.Lease{})
	changed := func(obj any) { g.changed(obj, wake) }
	handled, err := leases.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, obj any) { changed(obj) }, DeleteFunc: func(obj any) { g.removed(obj, wake) },
	})
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not watch the leases of nodes")
		return
	}
	running.Go(func() { leases.RunWithContext(ctx) })
	if cache.WaitForCacheSync(ctx.Done(), handled.HasSynced) {
		g.watches(leases.GetStore().List(), wake)
	}
	<-ctx.Done()
}

// watches notes that the watch shows all leases from now on. What was asked before may be old by now.
func (g *Gate) watches(leases []any, wake func(node string)) {
	for _, obj := range leases {
		if lease, isLease := obj.(*coordinationv1.Lease); isLease && isOurs(lease) {
			g.wakeOf(lease, wake)
		}
	}
	g.mu.Lock()
	g.watching = true
	nodes := g.doubtAll()
	g.mu.Unlock()
	for _, node := range nodes {
		wake(node)
	}
}

// forgetAll drops what is remembered, also that the watch shows all leases.
func (g *Gate) forgetAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watching = false
	clear(g.nodes)
}

// doubtAll forgets of all nodes whose their leases are, and returns their names. The caller has the lock.
func (g *Gate) doubtAll() []string {
	var names []string
	for name, n := range g.nodes {
		n.known = false
		names = append(names, name)
	}
	return names
}

// wakeOf wakes the node of the lease.
func (g *Gate) wakeOf(lease *coordinationv1.Lease, wake func(node string)) {
	if name, known := g.form.nodeOf(lease.Name); known {
		wake(name)
	}
}

// changed wakes the node of a lease that the watch shows, unless that is how we wrote it.
func (g *Gate) changed(obj any, wake func(node string)) {
	if lease, isLease := obj.(*coordinationv1.Lease); isLease && g.isNews(lease, false) {
		g.wakeOf(lease, wake)
	}
}

func (g *Gate) removed(obj any, wake func(node string)) {
	if tombstone, isTombstone := obj.(cache.DeletedFinalStateUnknown); isTombstone {
		obj = tombstone.Obj
	}
	if lease, isLease := obj.(*coordinationv1.Lease); isLease && g.isNews(lease, true) {
		g.wakeOf(lease, wake)
	}
}

// isNews says whether the lease is that of a node that the gate was asked about, and other than expected. If so, it is
// not known any more.
func (g *Gate) isNews(lease *coordinationv1.Lease, removed bool) bool {
	name, _ := g.form.nodeOf(lease.Name)
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[name]
	if n == nil {
		return false
	}
	if !removed && n.expects(lease) {
		n.lease = lease // also if the answer to our write is lost
		return false
	}
	n.known = false
	return true
}
