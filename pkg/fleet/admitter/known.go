// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// known is what a term knows: what was decided last. It is not changed, but replaced. The zero value is a term that
// knows nothing yet.
type known struct {
	// idle says that there are neither policies nor a ledger, so that nothing is decided.
	idle bool
	// answers are the answers for all holds that were decided about.
	answers map[types.UID]answer
	// planned are the nodes that are to be marked.
	planned map[string]bool
	// ledger is what the ledger says; nil while nothing was decided.
	ledger *v1beta1.MaintenanceLedger
	// queue are the nodes that wait, as they are to start.
	queue []string
}

func (k known) decided() bool { return k.idle || k.answers != nil }

// isIdle says whether there is nothing to decide.
func (t *term) isIdle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known.idle
}

// rest has the term be idle, unless reading failed, or the cache shows a policy all the same.
func (t *term) rest(err error) error {
	if err != nil {
		return err
	}
	t.statuses.want(nil, nil)
	resetGauges()
	t.mu.Lock()
	if len(t.policies.GetStore().ListKeys()) > 0 {
		t.mu.Unlock()
		t.kick()
		return nil
	}
	t.known = known{idle: true}
	t.leaving.Clear()
	t.mu.Unlock()
	t.wakeAll()
	return nil
}

// policyChanged ends a rest: nothing starts any more until it was decided. It is called after the cache shows the change.
func (t *term) policyChanged() {
	t.mu.Lock()
	if t.known.idle {
		t.known = known{}
	}
	t.mu.Unlock()
	t.kick()
}

// publish lets the drainer know what was decided, and wakes the nodes that it changes something for. It returns what was
// known before.
func (t *term) publish(next known) (before known) {
	t.mu.Lock()
	before, t.known = t.known, next
	t.leaving.Clear()
	t.mu.Unlock()
	for node := range next.changedSince(before) {
		t.wake(node)
	}
	return before
}

// changedSince are the nodes about which something else is known than before.
func (k known) changedSince(before known) sets.Set[string] {
	nodes := sets.New[string]()
	for uid, now := range k.answers {
		if old, found := before.answers[uid]; !found || !now.same(old) {
			nodes.Insert(now.node)
		}
	}
	for _, node := range slices.Concat(keys(k.planned), keys(before.planned)) {
		if k.planned[node] != before.planned[node] {
			nodes.Insert(node)
		}
	}
	return nodes
}

func keys(marked map[string]bool) []string {
	names := make([]string, 0, len(marked))
	for name := range marked {
		names = append(names, name)
	}
	return names
}

// wakeAll wakes all nodes that are held.
func (t *term) wakeAll() {
	holds, err := t.config.Cluster.Holds()
	if err != nil {
		return // then nobody was told yet that something is not known
	}
	nodes := sets.New[string]()
	for _, hold := range holds {
		nodes.Insert(hold.Spec.NodeName)
	}
	for node := range nodes {
		t.wake(node)
	}
}

// Entry returns what the ledger says of a node; nil: nothing. It is not to be changed. It is not known while this process
// does not lead, and until it has decided for the first time.
func (a *Admitter) Entry(node string) (entry *v1beta1.LedgerEntry, isKnown bool) {
	t := a.leading.Load()
	if t == nil {
		return nil, false
	}
	t.mu.Lock()
	known := t.known
	t.mu.Unlock()
	if known.ledger == nil {
		return nil, known.decided()
	}
	return entryOf(known.ledger, node), true
}

// KeepsBack notes that release gates keep a node from being given back, or that they do not. The ledger then says since
// when they do. It never blocks.
func (a *Admitter) KeepsBack(node string, keeps bool) {
	if t := a.leading.Load(); t != nil {
		t.keepsBack(node, keeps)
	}
}

func (t *term) keepsBack(node string, keeps bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	since, told := t.kept[node]
	if told && keeps == !since.IsZero() {
		return
	}
	t.kept[node] = time.Time{}
	if keeps {
		t.kept[node] = t.config.Clock.Now()
	}
	t.kick()
}
