// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// again is how long the witness waits before it watches a replica again.
const again = 200 * time.Millisecond

// witness watches a pool's holds at every replica, and its budgets.
type witness struct {
	pool string

	mu sync.Mutex
	// progress is each hold's progress, by the version of the hold.
	progress map[types.UID]map[uint64]int32
	seen     int
	broken   []string // budgets
}

// newWitness watches until the test's end.
func (g *group) newWitness(t *testing.T, pool string) *witness {
	t.Helper()
	w := &witness{pool: pool, progress: map[types.UID]map[uint64]int32{}}
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	t.Cleanup(func() {
		stop()
		watching.Wait()
	})
	for _, s := range g.Replicas.Servers {
		watching.Go(func() { wait.UntilWithContext(ctx, func(ctx context.Context) { w.watchHolds(ctx, s) }, again) })
	}
	budgets := g.Kube.PolicyV1().PodDisruptionBudgets(pool)
	watching.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			if events, err := budgets.Watch(ctx, metav1.ListOptions{}); err == nil {
				each(ctx, events, w.noteBudget)
			}
		}, again)
	})
	return w
}

// watchHolds watches at one replica, past the balancer, until that ends.
func (w *witness) watchHolds(ctx context.Context, s *localcluster.Server) {
	config, err := s.Config(ctx)
	if err != nil {
		return
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return
	}
	if events, err := client.MaintenanceV1beta1().NodeMaintenances().Watch(ctx, metav1.ListOptions{}); err == nil {
		each(ctx, events, w.noteHold)
	}
}

// each hands on the objects of a watch until it ends.
func each[T any](ctx context.Context, events watch.Interface, note func(T)) {
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-events.ResultChan():
			if !open {
				return
			}
			if object, ok := event.Object.(T); ok {
				note(object)
			}
		}
	}
}

func (w *witness) noteHold(nm *v1beta1.NodeMaintenance) {
	version, err := strconv.ParseUint(nm.ResourceVersion, 10, 64)
	if err != nil || !strings.HasPrefix(nm.Name, w.pool) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.progress[nm.UID] == nil {
		w.progress[nm.UID] = map[uint64]int32{}
	}
	w.progress[nm.UID][version] = ptr.Deref(nm.Status.DrainProgress, 0)
}

func (w *witness) noteBudget(b *policyv1.PodDisruptionBudget) {
	if b.Status.ObservedGeneration == 0 || b.DeletionTimestamp != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	if b.Status.CurrentHealthy < b.Status.DesiredHealthy {
		w.broken = append(w.broken, fmt.Sprintf("%s: %d of %d pods are healthy, want %d", b.Name, b.Status.CurrentHealthy, b.Status.ExpectedPods, b.Status.DesiredHealthy))
	}
}

// check reports what was wrong.
func (w *witness) check(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == 0 || len(w.progress) < drained {
		t.Errorf("%d states of budgets were seen, and %d holds; so this shows nothing", w.seen, len(w.progress))
	}
	for _, broken := range w.broken {
		t.Errorf("a budget was broken: %s", broken)
	}
	for uid, versions := range w.progress {
		last := int32(0)
		for _, version := range slices.Sorted(maps.Keys(versions)) {
			if versions[version] < last {
				t.Errorf("the progress of hold %s fell from %d to %d at version %d", uid, last, versions[version], version)
			}
			last = versions[version]
		}
	}
}
