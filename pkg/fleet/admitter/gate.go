// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
)

// errNotAdmitted is the reason why a node is not cordoned although it was thought to be admitted. It is looked at again.
var errNotAdmitted = errors.New("the ledger does not say any more that the node was admitted")

// Acquire implements drainer.Gate. Before a node is cordoned, our own server must have shown a moment ago that this term
// keeps the ledger, and that the node and its holds are in it. It takes nothing, so nodes in maintenance pass.
func (a *Admitter) Acquire(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (drainer.Verdict, error) {
	t := a.leading.Load()
	if t == nil {
		return drainer.Verdict{}, lookAgainError(ledger.ErrDeposed)
	}
	admitted, kept, known := t.letPass(ctx, node, holds)
	switch {
	case !known:
		return drainer.Verdict{}, lookAgainError(errNotAdmitted)
	case len(admitted) == 0 || a.config.Cluster.HasInMaintenance(node):
		return drainer.Verdict{}, nil
	}
	confirmed, err := t.sight.confirms(ctx, func(shown *v1beta1.MaintenanceLedger) bool {
		return kept != nil && ledger.SameTerm(kept, shown) && hasEntry(shown, node, admitted)
	})
	if err == nil && !confirmed {
		t.kick()
		err = lookAgainError(errNotAdmitted)
	}
	return drainer.Verdict{}, err
}

// lookAgainError is a conflict: the drainer tells nobody of it, and looks at the node again.
func lookAgainError(why error) error {
	return apierrors.NewConflict(v1beta1.Resource("maintenanceledgers"), v1beta1.LedgerName, why)
}

// letPass notes that the node may be cordoned at any moment until ctx is done. It returns the holds that must be in the
// ledger, and the ledger as it was known. Nothing is let pass while that is not known, or while the entry of the node may
// end. A hold that needs no entry passes only with the labels of the node by which that was decided.
func (t *term) letPass(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (
	admitted []*v1beta1.NodeMaintenance, ledger *v1beta1.MaintenanceLedger, known bool,
) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known.decided() {
		return nil, nil, t.config.Cluster.HasInMaintenance(node)
	}
	if t.leaving.Has(node.Name) {
		return nil, nil, false
	}
	if t.relabelled(node, holds) {
		t.kick()
		return nil, nil, false
	}
	for _, hold := range holds {
		if !t.known.idle && !t.known.answers[hold.UID].free {
			admitted = append(admitted, hold)
			continue
		}
		t.pass(ctx, node, hold)
	}
	t.acquired[node.Name] = ctx.Done()
	return admitted, t.known.ledger, true
}

// relabelled says whether it was decided by other labels of the node that one of the holds needs no entry. Then it may
// need one now.
func (t *term) relabelled(node *corev1.Node, holds []*v1beta1.NodeMaintenance) bool {
	return !t.config.Cluster.HasInMaintenance(node) && slices.ContainsFunc(holds, func(hold *v1beta1.NodeMaintenance) bool {
		known := t.known.answers[hold.UID]
		return known.free && !maps.Equal(known.labels, node.Labels)
	})
}

// hasEntry says whether the node was admitted for these holds.
func hasEntry(ledger *v1beta1.MaintenanceLedger, node *corev1.Node, holds []*v1beta1.NodeMaintenance) bool {
	entry := entryOf(ledger, node.Name)
	return entry != nil && is(node, entry) && !slices.ContainsFunc(holds, func(hold *v1beta1.NodeMaintenance) bool {
		return !lists(entry, hold.UID)
	})
}

// Release implements drainer.Gate: the entry of the node may end at once. It ends by facts without this call, too.
func (a *Admitter) Release(_ context.Context, node string) error {
	if t := a.leading.Load(); t != nil {
		t.mu.Lock()
		delete(t.acquired, node)
		delete(t.passed, node)
		delete(t.kept, node)
		t.mu.Unlock()
		t.kick()
	}
	return nil
}

// Holds implements drainer.MemoryGate. What the ledger says of a node ends by facts, and not by a release.
func (a *Admitter) Holds(string) bool { return false }
