// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// witness counts the nodes of a pool that are cordoned, as a watch of the cluster shows them, and the entries
// of the pool in each revision of the ledger.
type witness struct {
	cordoned, recorded int
	err                error
}

// watchLimit checks at the test's end that there were never more than so many.
func (p *pool) watchLimit(t *testing.T, limit int) {
	t.Helper()
	nodes, err := p.Kube.CoreV1().Nodes().Watch(t.Context(), metav1.ListOptions{LabelSelector: env.PoolLabel + "=" + p.Name})
	if err != nil {
		t.Fatal(err)
	}
	ledgers, err := p.Maintenance.MaintenanceV1beta1().MaintenanceLedgers().Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stop, seen := make(chan struct{}), make(chan witness)
	go func() { seen <- p.witness(nodes, ledgers, stop) }()
	t.Cleanup(func() {
		close(stop)
		w := <-seen
		nodes.Stop()
		ledgers.Stop()
		if w.err != nil {
			t.Error(w.err)
		}
		if w.cordoned != limit || w.recorded != limit {
			t.Errorf("at most %d nodes were cordoned, and %d were in the ledger, want %d", w.cordoned, w.recorded, limit)
		}
	})
}

func (p *pool) witness(nodes, ledgers watch.Interface, stop <-chan struct{}) (most witness) {
	cordoned := map[string]bool{}
	for {
		select {
		case <-stop:
			return most
		case event, open := <-nodes.ResultChan():
			node, isNode := event.Object.(*corev1.Node)
			if !open || !isNode {
				return ended(most, "nodes", stop)
			}
			if cordoned[node.Name] = event.Type != watch.Deleted && node.Spec.Unschedulable; !cordoned[node.Name] {
				delete(cordoned, node.Name)
			}
			most.cordoned = max(most.cordoned, len(cordoned))
		case event, open := <-ledgers.ResultChan():
			ledger, isLedger := event.Object.(*v1beta1.MaintenanceLedger)
			if !open || !isLedger {
				return ended(most, "the ledger", stop)
			}
			most.recorded = max(most.recorded, p.entries(ledger))
		}
	}
}

func ended(most witness, of string, stop <-chan struct{}) witness {
	most.err = errors.New("the watch of " + of + " ended early")
	<-stop
	return most
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
