// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// gather gathers the facts for a decision. What takes requests comes first.
func (t *term) gather(ctx context.Context, policies []*v1beta1.MaintenancePolicy) (decision.Facts, error) {
	facts := decision.Facts{Policies: policies, Pods: t.pods(ctx), Started: t.answers(), Now: t.config.Clock.Now()}
	t.addKept(&facts, *t.ledger.Stored().Spec.DeepCopy())
	err := t.observe(&facts)
	return facts, err
}

// observe reads the nodes and the holds from the caches.
func (t *term) observe(facts *decision.Facts) (err error) {
	if facts.Nodes, err = t.config.Cluster.Nodes(); err != nil {
		return fmt.Errorf("could not learn what nodes there are: %w", err)
	}
	if facts.Holds, err = t.config.Cluster.Holds(); err != nil {
		return fmt.Errorf("could not learn what NodeMaintenances there are: %w", err)
	}
	t.showPassed(facts)
	t.addTaken(facts)
	return nil
}

// pods says what drains of the nodes that wait would take.
func (t *term) pods(ctx context.Context) map[string]decision.PodLoad {
	t.mu.Lock()
	queue := t.known.queue
	t.mu.Unlock()
	if t.config.Loads == nil || len(queue) == 0 {
		return nil
	}
	return t.config.Loads.PodLoads(ctx, queue)
}

// addKept adds the ledger to the facts, with since when release gates keep nodes, and which nodes they let go.
func (t *term) addKept(facts *decision.Facts, spec v1beta1.MaintenanceLedgerSpec) {
	facts.Ledger, facts.LetGo = spec, map[string]bool{}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range spec.Entries {
		entry := &spec.Entries[i]
		since, told := t.kept[entry.Node]
		switch {
		case told && since.IsZero():
			entry.ReleaseTime, facts.LetGo[entry.Node] = nil, true
		case told && entry.ReleaseTime == nil:
			entry.ReleaseTime = &metav1.MicroTime{Time: since}
		}
	}
}
