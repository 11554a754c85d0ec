// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

// held has a node wait that is not in maintenance yet.
func (g *Gate) held(n *node, foreign *coordinationv1.Lease) drainer.Verdict {
	who, by := g.whoHas(n, foreign)
	return drainer.Verdict{Again: g.untilFree(foreign), Wait: &drainer.Wait{
		Reason:  v1beta1.ReasonLeaseHeld,
		Message: fmt.Sprintf("%s; node %s is not touched before the lease is free", who, n.owner.Name),
		Error:   g.form.notObtained(g.form.held(by), 0),
	}}
}

// kept has a node wait that is to be given back.
func (g *Gate) kept(n *node, foreign *coordinationv1.Lease) drainer.Verdict {
	who, _ := g.whoHas(n, foreign)
	return drainer.Verdict{Again: g.untilFree(foreign), Wait: &drainer.Wait{
		Reason:  v1beta1.ReasonLeaseLost,
		Message: fmt.Sprintf("%s; node %s is given back when the lease is free", who, n.owner.Name),
	}}
}

// lost has a node wait that is in maintenance: another holder has its lease, or it could not be found out whether
// one has. said is how many failures the holds of the node tell of already.
func (g *Gate) lost(ctx context.Context, n *node, foreign *coordinationv1.Lease, failure error, said int32) drainer.Verdict {
	failures, again := g.fail(n, said)
	wait := &drainer.Wait{Reason: v1beta1.ReasonLeaseLost, LeaseErrors: failures, Failed: failures > mostFailures}
	var who, why string
	if foreign != nil {
		var by string
		who, by = g.whoHas(n, foreign)
		why, again = g.form.held(by), min(again, g.untilFree(foreign))
	} else {
		who, why = failure.Error(), failure.Error()
		klog.FromContext(ctx).Error(failure, "Could not keep lease of node", "node", n.owner.Name, "failures", failures)
	}
	wait.Message = fmt.Sprintf("%s; nothing is evicted from node %s, and it stays cordoned, until the lease is free", who, n.owner.Name)
	wait.Error = g.form.notExtended(why, failures)
	if wait.Failed {
		wait.Error = g.form.failed(failures)
	}
	return drainer.Verdict{Wait: wait, Again: again}
}

// keep notes that the lease is ours.
func (g *Gate) keep(n *node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n.failures, n.nextAttempt = 0, time.Time{}
	n.toldHolder, n.toldUntil = "", time.Time{}
}

// mayHave says whether the lease may be ours although it could not be read or renewed: it was not lost before, and
// if it was ours, it has not ended.
func (g *Gate) mayHave(n *node) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return n.failures == 0 && g.clock.Now().Before(n.oursUntil)
}

// failing says whether the lease was lost.
func (g *Gate) failing(n *node) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return n.failures > 0
}

// fail counts a failure if the last one is long enough ago, and says how many there are in a row, and when the
// lease is to be asked for again. It does not count on once the maintenance has failed.
func (g *Gate) fail(n *node, said int32) (failures int32, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	if !now.Before(n.nextAttempt) {
		n.failures = min(max(n.failures, said)+1, mostFailures+1)
		n.nextAttempt = now.Add(attemptInterval)
	}
	if n.failures > mostFailures {
		return n.failures, askInterval
	}
	return n.failures, n.nextAttempt.Sub(now)
}

// whoHas says who has the lease, and until when.
func (g *Gate) whoHas(n *node, foreign *coordinationv1.Lease) (text, by string) {
	by = *foreign.Spec.HolderIdentity
	return fmt.Sprintf("%s (lease %s/%s of %s, until %s or longer)",
		g.form.held(by), foreign.Namespace, foreign.Name, by, g.until(n, foreign).UTC().Format(time.RFC3339)), by
}

// until is the time when a lease of another holder may be free. A time that was told stays true when the holder renews the
// lease: it has it so long at least. So no status is written then.
func (g *Gate) until(n *node, foreign *coordinationv1.Lease) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	by, end := *foreign.Spec.HolderIdentity, ends(foreign)
	if n.toldHolder != by || n.toldUntil.After(end) || !g.clock.Now().Before(n.toldUntil) {
		n.toldHolder, n.toldUntil = by, end
	}
	return n.toldUntil
}

// untilFree is how long to wait until a lease of another holder may be free. It may be since it was judged, and no
// time at all would be for ever.
func (g *Gate) untilFree(foreign *coordinationv1.Lease) time.Duration {
	left := freeAt(foreign).Sub(g.clock.Now())
	return min(max(left, 0)+time.Millisecond, askInterval)
}
