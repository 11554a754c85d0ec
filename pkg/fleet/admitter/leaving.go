// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// leavingMost is how many nodes are confirmed for one decision, and leavingParallel how many at the same time.
	leavingMost     = 256
	leavingParallel = 8
)

// confirmLeft returns those of the nodes of which the API servers say now that they have left maintenance. sure is false
// if some must be asked for again.
func (t *term) confirmLeft(ctx context.Context, leaving []string) (left map[string]bool, sure bool) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	asked := t.unmarked(leaving)
	left, sure = map[string]bool{}, len(asked) <= leavingMost
	asked = asked[:min(len(asked), leavingMost)]
	var mu sync.Mutex
	workqueue.ParallelizeUntil(ctx, leavingParallel, len(asked), func(i int) {
		has, err := t.hasLeft(ctx, asked[i])
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			sure = false
			klog.FromContext(ctx).V(2).Info("Could not confirm that a node has left maintenance", "node", asked[i], "err", err)
		}
		left[asked[i]] = has
	})
	return left, sure && len(left) == len(asked) // those that ctx left no time for were not asked
}

// unmarked are those of the nodes that the cache does not show to be in maintenance still. A change of the cache has the
// others looked at again.
func (t *term) unmarked(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		entry := entryOf(t.ledger.Stored(), name)
		cached, err := t.config.Cluster.Node(name)
		return entry != nil && err == nil && is(cached, entry) && t.config.Cluster.HasInMaintenance(cached)
	})
}

// hasLeft says whether a node of the ledger has left maintenance: it is gone, or no hold of its entry keeps it, it
// carries no mark of ours, and the drainer is not about to cordon it, nor may be from now on until the decision was carried out.
// If the cache does not show that yet, a change of the cache asks again.
func (t *term) hasLeft(ctx context.Context, name string) (bool, error) {
	entry := entryOf(t.ledger.Stored(), name)
	cached, err := t.config.Cluster.Node(name)
	if entry == nil || err != nil {
		return false, err
	}
	switch {
	case !is(cached, entry):
	case t.config.Cluster.HasInMaintenance(cached):
		return false, nil
	case t.mayBeCordoned(name):
		return false, errMayBeCordoned // nothing but another question shows that it was not
	}
	node, err := t.liveNode(ctx, name)
	switch {
	case err != nil:
		return false, err
	case !is(node, entry):
		return !is(cached, entry), nil
	case t.config.Cluster.HasInMaintenance(node) || !is(cached, entry):
		return false, nil
	}
	kept, err := t.keptLive(ctx, entry)
	return !kept && err == nil, err
}

// is says whether the node is the one of the entry.
func is(node *corev1.Node, entry *v1beta1.LedgerEntry) bool {
	return node != nil && node.UID == entry.NodeUID
}

// entryOf is the entry of a node; nil: there is none.
func entryOf(ledger *v1beta1.MaintenanceLedger, node string) *v1beta1.LedgerEntry {
	at, found := slices.BinarySearchFunc(ledger.Spec.Entries, node, func(e v1beta1.LedgerEntry, node string) int {
		return cmp.Compare(e.Node, node)
	})
	if !found {
		return nil
	}
	return &ledger.Spec.Entries[at]
}

// errMayBeCordoned means that the drainer was let pass, and that its look at the node is not over.
var errMayBeCordoned = errors.New("the drainer may be about to cordon it")

// mayBeCordoned says whether the drainer was let pass, and its look at the node is not over. Otherwise the node is not let
// pass any more: its entry may end.
func (t *term) mayBeCordoned(node string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if look, acquired := t.acquired[node]; acquired && !isOver(look) {
		return true
	}
	delete(t.acquired, node)
	t.leaving.Insert(node)
	return false
}

// isOver says whether the look at a node has ended for which the drainer was let pass.
func isOver(look <-chan struct{}) bool {
	select {
	case <-look:
		return true
	default:
		return false
	}
}

// noneLeaves forgets which nodes the decision before was about to end the entries of. The ledger was read since.
func (t *term) noneLeaves() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leaving.Clear()
}

// liveNode asks the API server for a node; nil when there is none.
func (t *term) liveNode(ctx context.Context, name string) (*corev1.Node, error) {
	node, err := t.config.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("could not get node %s: %w", name, err)
	}
	return node, nil
}

// keptLive asks our own server whether a hold keeps the node in maintenance. It fails while the stored ledger still has a
// hold that may go on to exist: nothing but another question shows that the next one does not.
func (t *term) keptLive(ctx context.Context, entry *v1beta1.LedgerEntry) (kept bool, err error) {
	list, err := t.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldNodeName, entry.Node).String(),
	})
	if err != nil {
		return false, fmt.Errorf("could not list NodeMaintenances of node %s: %w", entry.Node, err)
	}
	for i := range list.Items {
		hold := &list.Items[i]
		if keeps(hold, entry) && hold.DeletionTimestamp.IsZero() {
			return true, fmt.Errorf("the ledger still has NodeMaintenance %s", hold.Name)
		}
		kept = kept || keeps(hold, entry)
	}
	return kept, nil
}

// keeps says whether a hold keeps the node: one that was admitted, and one that is being deleted until the drainer has let
// it end.
func keeps(hold *v1beta1.NodeMaintenance, entry *v1beta1.LedgerEntry) bool {
	if !hold.DeletionTimestamp.IsZero() {
		return slices.Contains(hold.Finalizers, v1beta1.UncordonFinalizer)
	}
	return hold.Spec.Stage != v1beta1.StageIdle && lists(entry, hold.UID)
}

// lists says whether the entry has the hold.
func lists(entry *v1beta1.LedgerEntry, hold types.UID) bool {
	return slices.ContainsFunc(entry.Holds, func(h v1beta1.LedgerHold) bool { return h.UID == hold })
}
