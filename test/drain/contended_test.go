// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// Somebody else evicts pods of the same budget from other nodes, without looking
// at its room first, as kubectl drain does.
func TestAnotherEvictorOnTheSameBudget(t *testing.T) {
	t.Parallel()
	p := newPool(t, 3)
	p.contended = true
	p.Run(t, p.workload().
		Deployment("web", 9, p.Selector(), localcluster.ReadyDelay(300*time.Millisecond), localcluster.TerminationDelay(200*time.Millisecond)).
		Budget("web", localcluster.MaxUnavailable("2")))
	budgets := p.watchBudgets(t, "web")
	other := p.startEvictor(t, p.Nodes[1])
	p.drain(t, "a", p.Nodes[0])
	evicted := other.end()
	budgets.check(t, p, map[string]int{"web": 7})
	p.wantApps(t, p.Nodes[0], map[string]int{})
	if evicted == 0 {
		t.Error("the other evictor evicted nothing, so nothing was tested")
	}
	refused := 0
	for _, e := range p.evictions(t) {
		if e.byBudget {
			refused++
		}
	}
	// Each loss of a race is one refusal, and the budget is left alone until it changes. How often the other one
	// is faster is up to the machine.
	if refused > budgets.room {
		t.Errorf("%d of our evictions were refused, although the budget showed room only %d times", refused, budgets.room)
	}
}

const evictorInterval = 50 * time.Millisecond

// evictor cordons one node and evicts its pods, again and again.
type evictor struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
	evicted int
}

func (p *pool) startEvictor(t *testing.T, node string) *evictor {
	t.Helper()
	// Otherwise new pods come to the node, and are evicted past the budget before they are ready, without end.
	p.setUnschedulable(t, node, true)
	ctx, cancel := context.WithCancel(t.Context())
	e := &evictor{cancel: cancel}
	e.running.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) { e.evictAll(ctx, t, p, node) }, evictorInterval)
	})
	t.Cleanup(func() { e.end() })
	return e
}

func (e *evictor) evictAll(ctx context.Context, t *testing.T, p *pool, node string) {
	pods, err := p.PodsOn(ctx, node)
	if err != nil && ctx.Err() == nil {
		t.Errorf("could not list pods: %v", err)
	}
	for i := range pods {
		switch err := p.evict(ctx, pods[i].Name); {
		case err == nil:
			e.evicted++
		case ctx.Err() != nil, apierrors.IsTooManyRequests(err), apierrors.IsNotFound(err), apierrors.IsConflict(err):
		default:
			t.Errorf("could not evict pod %s: %v", pods[i].Name, err)
		}
	}
}

// end stops the evictor and returns how many pods it evicted.
func (e *evictor) end() int {
	e.cancel()
	e.running.Wait()
	return e.evicted
}
