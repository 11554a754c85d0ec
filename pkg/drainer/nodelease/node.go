// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// node is what is remembered of a node that the gate was asked about. All of it is guarded by the lock of the
// gate, and only saves requests and writes.
type node struct {
	// owner is the node, as owner of its lease.
	owner metav1.OwnerReference
	// lease is the lease as the API server showed it last; nil when there was none.
	lease *coordinationv1.Lease
	// known says that the watch has shown no other version of the lease since.
	known bool
	// renewing is the time of renewal in the write that is under way; zero: none is. The watch may show what we write
	// before the answer comes.
	renewing time.Time
	// read is the time when the API server showed that.
	read time.Time
	// oursUntil is until when the lease may be ours if it cannot be read.
	oursUntil time.Time
	// failures is how many times in a row the lease could not be kept for a node in maintenance.
	failures int32
	// nextAttempt is the time when a further failure counts: however often the gate is asked, attempts have a distance.
	nextAttempt time.Time
	// toldHolder and toldUntil are who has the lease, and until when at least, as a status says.
	toldHolder string
	toldUntil  time.Time
}

// of returns what is remembered of the node, and notes who it is now. The caller has the lock.
func (g *Gate) of(object *corev1.Node) *node {
	n := g.nodes[object.Name]
	if n == nil {
		// An earlier process may have renewed the lease a moment ago.
		n = &node{oursUntil: g.clock.Now().Add(lasts - margin)}
		g.nodes[object.Name] = n
	}
	n.owner = metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: object.Name, UID: object.UID}
	return n
}

// forget drops what is remembered of the node.
func (g *Gate) forget(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.nodes, name)
}

// doubt notes that the lease may have another version than the one that is remembered.
func (g *Gate) doubt(n *node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n.known = false
}

// renews notes that the lease is being written with this time of renewal; zero: that it is not any more.
func (g *Gate) renews(n *node, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n.renewing = at.Truncate(time.Microsecond) // as it is stored
}

// expects says whether the lease is as we remember it, or as we are writing it.
func (n *node) expects(lease *coordinationv1.Lease) bool {
	if n.lease != nil && n.lease.ResourceVersion == lease.ResourceVersion {
		return true
	}
	return !n.renewing.IsZero() && isOurs(lease) && timed(lease) && lease.Spec.RenewTime.Time.Equal(n.renewing)
}

// saw remembers the lease as the API server has just shown it.
func (g *Gate) saw(n *node, lease *coordinationv1.Lease) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n.lease, n.read, n.oursUntil = lease, g.clock.Now(), time.Time{}
	if lease != nil && isOurs(lease) && timed(lease) {
		n.oursUntil = ends(lease).Add(-margin)
	}
}

// startedBefore says whether the node is in maintenance already, so that we had its lease: it carries our marks, or
// its holds say that its lease was lost.
func startedBefore(object *corev1.Node, holds []*v1beta1.NodeMaintenance) bool {
	_, marked := object.Annotations[v1beta1.HoldsAnnotation]
	return marked || failuresSaid(holds) > 0
}

// failuresSaid is how many failures in a row the holds of a node tell of, from an earlier process.
func failuresSaid(holds []*v1beta1.NodeMaintenance) int32 {
	var most int32
	for _, hold := range holds {
		most = max(most, hold.Status.LeaseErrorCount)
	}
	return most
}
