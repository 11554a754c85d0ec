// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// sight is what counts of a node. The zero value is a node that is no member.
type sight struct{ member, ready, marked bool }

// Run implements drainer.Gate: it wakes the nodes that wait when a member joins, leaves, fails, comes back, or
// is given back. At its end it forgets all answers: another process may lead next.
func (g *Guard) Run(ctx context.Context, wake func(node string)) {
	g.setWake(wake)
	defer g.forget()
	stop, err := g.cluster.WatchNodes(g.changed)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not watch the members of the control plane")
		return
	}
	defer stop()
	<-ctx.Done()
}

func (g *Guard) setWake(wake func(node string)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wake = wake
}

func (g *Guard) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wake = nil
	clear(g.answers)
	clear(g.seen)
}

// changed wakes the nodes that wait if the change of a node may matter to them. The kubelet's heartbeats do
// not.
func (g *Guard) changed(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, gone := g.look(name)
	if gone {
		delete(g.answers, name)
	}
	if now == g.seen[name] {
		return
	}
	g.seen[name] = now
	if !now.member {
		delete(g.seen, name)
	}
	g.wakeWaiting()
}

// look looks at a node in the cache, and says whether it is gone.
func (g *Guard) look(name string) (seen sight, gone bool) {
	node, err := g.cluster.Node(name)
	if err != nil || node == nil || !controlplane.Member(node) {
		return sight{}, node == nil && err == nil
	}
	return sight{member: true, ready: ready(node), marked: nodemarks.Marked(node)}, false
}

// wakeWaiting has all nodes that wait asked for again.
func (g *Guard) wakeWaiting() {
	for node, last := range g.answers {
		if last.answer == waits && g.wake != nil {
			g.wake(node)
		}
	}
}
