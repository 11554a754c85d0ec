// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// ledgerCount counts something in each revision of the ledger, whatever becomes of the server.
type ledgerCount struct {
	*pool
	count func(ledger *v1beta1.MaintenanceLedger) int
	// rises has an element when there is more of it than in the revision before.
	rises chan struct{}

	mu         sync.Mutex
	last, most int
	seen       map[string]bool // by revision
}

// countLedger counts until the test's end.
func (p *pool) countLedger(t *testing.T, count func(ledger *v1beta1.MaintenanceLedger) int) *ledgerCount {
	t.Helper()
	c := &ledgerCount{pool: p, count: count, rises: make(chan struct{}, 1), seen: map[string]bool{}}
	ledgers := p.Maintenance.MaintenanceV1beta1().MaintenanceLedgers()
	before, err := ledgers.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("could not list the ledger: %v", err)
	}
	for i := range before.Items {
		c.see(&before.Items[i])
	}
	revisions, err := watchtools.NewRetryWatcherWithContext(t.Context(), before.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return ledgers.Watch(ctx, options)
		},
	})
	if err != nil {
		t.Fatalf("could not watch the ledger: %v", err)
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		for event := range revisions.ResultChan() {
			if ledger, isLedger := event.Object.(*v1beta1.MaintenanceLedger); isLedger {
				c.see(ledger)
			}
		}
	})
	t.Cleanup(watching.Wait)
	return c
}

func (c *ledgerCount) see(ledger *v1beta1.MaintenanceLedger) {
	now := c.count(ledger)
	c.mu.Lock()
	defer c.mu.Unlock()
	if now > c.last {
		select {
		case c.rises <- struct{}{}:
		default:
		}
	}
	c.last, c.most, c.seen[ledger.ResourceVersion] = now, max(c.most, now), true
}

// wantMost checks how much of it a revision has had at most. All until now are counted.
func (c *ledgerCount) wantMost(t *testing.T, what string, want int) {
	t.Helper()
	newest := ""
	env.Eventually(t, "the newest revision of the ledger is counted", func(ctx context.Context) string {
		if newest == "" {
			ledger, err := c.Maintenance.MaintenanceV1beta1().MaintenanceLedgers().Get(ctx, v1beta1.LedgerName, metav1.GetOptions{})
			if err != nil {
				return err.Error()
			}
			newest = ledger.ResourceVersion
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.seen[newest] {
			return newest + " is not"
		}
		return ""
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most != want {
		t.Errorf("a revision of the ledger had %d %s, want %d at most", c.most, what, want)
	}
}

// inMaintenance counts the pool's nodes that the ledger has in maintenance.
func (p *pool) inMaintenance(ledger *v1beta1.MaintenanceLedger) (count int) {
	for _, entry := range ledger.Spec.InMaintenance {
		if slices.Contains(p.Nodes, entry.Node) {
			count++
		}
	}
	return count
}

// onOneNode is how often the ledger has one of the pool's nodes, at most.
func (p *pool) onOneNode(ledger *v1beta1.MaintenanceLedger) (most int) {
	count := map[string]int{}
	for _, entry := range ledger.Spec.InMaintenance {
		if slices.Contains(p.Nodes, entry.Node) {
			count[entry.Node]++
			most = max(most, count[entry.Node])
		}
	}
	return most
}
