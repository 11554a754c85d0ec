// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// wantMostRecorded checks at the test's end how many of the pool's nodes a revision of the ledger had, at most.
func (p *pool) wantMostRecorded(t *testing.T, want int) {
	t.Helper()
	ledgers, err := p.Maintenance.MaintenanceV1beta1().MaintenanceLedgers().Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("could not watch the ledger: %v", err)
	}
	counted := make(chan int)
	go func() {
		most := 0
		for event := range ledgers.ResultChan() {
			if ledger, isLedger := event.Object.(*v1beta1.MaintenanceLedger); isLedger {
				most = max(most, p.entries(ledger))
			}
		}
		counted <- most
	}()
	t.Cleanup(func() {
		ledgers.Stop()
		if got := <-counted; got != want {
			t.Errorf("a revision of the ledger had %d nodes, want %d at most", got, want)
		}
	})
}

// entries counts the pool's nodes in a ledger.
func (p *pool) entries(ledger *v1beta1.MaintenanceLedger) (count int) {
	for i := range ledger.Spec.Entries {
		for _, node := range p.Nodes {
			if ledger.Spec.Entries[i].Node == node {
				count++
			}
		}
	}
	return count
}

// waitReleased waits until no node of the pool is in the ledger.
func (p *pool) waitReleased(t *testing.T) {
	t.Helper()
	env.Eventually(t, "the ledger forgets the nodes", func(ctx context.Context) string {
		list, err := p.Maintenance.MaintenanceV1beta1().MaintenanceLedgers().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		for i := range list.Items {
			if count := p.entries(&list.Items[i]); count > 0 {
				return fmt.Sprintf("%d entries: %+v", count, list.Items[i].Spec.Entries)
			}
		}
		return ""
	})
}
