// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// Gate decides when a node may be taken out of service. It is asked at each reconcile of the node, after
// what the node was like before was recorded, and before the node is cordoned. A node that must wait is
// not cordoned, and nothing is evicted from it. A node that is cordoned already stays cordoned.
type Gate interface {
	// Run does what the gate does besides answering, such as a watch, until ctx is done, and returns when
	// everything it started has ended. It calls wake with the name of each node that is to be asked for
	// again, and of each node for which it still holds something although perhaps nobody holds the node: then
	// Release is called. It is called each time that this process begins to lead. The other methods may be
	// called before and after it. A gate that has nothing to do returns at once.
	Run(ctx context.Context, wake func(node string))
	// Acquire asks for the node on behalf of the holds that are to have it cordoned. Without holds it only keeps
	// what it took: whether anybody wants the node is not known yet. It may be called many times for one node, and
	// takes what it takes only once. Its answer holds until ctx is done, which ends with the look at the node: after that
	// the node is not cordoned before it is asked again. With an error the node waits too, and is
	// looked at again. The status of a node in maintenance then only gets the error as lastError.
	Acquire(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (Verdict, error)
	// Release gives back what Acquire took for the node of that name, if anything. It is called when
	// the node has been given back, or does not exist, and before its last holds end. With an
	// error they do not end, and it is called again. For a node that nobody holds a crash may prevent the
	// call. It is made up for when Run wakes the node, and while somebody else has the node out of service, only after that.
	Release(ctx context.Context, node string) error
}

// Keeper is a Gate that can also keep a node from being given back.
type Keeper interface {
	Gate
	// MayGiveBack is asked right before our marks are taken off a node that no hold wants cordoned any more.
	// A node that must wait is not touched: its ending holds do not end, and their condition Released and their
	// lastError say why, unless the Wait has no message. With an error the node waits too, and is looked at again.
	MayGiveBack(ctx context.Context, node *corev1.Node) (Verdict, error)
}

// MemoryGate is a Gate that takes nothing outside of this process, so that it knows what it holds. Of another gate it
// is thought that it may hold something for any node.
type MemoryGate interface {
	Gate
	// Holds says whether it holds something for the node of that name. If not, the API server need not be asked
	// whether a node is gone before Release is called for it.
	Holds(node string) bool
}

// Verdict is what a gate says of a node.
type Verdict struct {
	// Wait is what the node waits for; nil when it need not wait.
	Wait *Wait
	// Again is the time after which to ask again if nothing wakes the node before; zero: never.
	Again time.Duration
}

// Wait is what a node waits for before it may be taken out of service.
type Wait = holdstatus.Wait

// gates are asked one after the other. A node may be taken out of service when none of them says that
// it must wait.
type gates []Gate

// run runs the gates until ctx is done, and returns when all of them have ended.
func (g gates) run(ctx context.Context, wake func(node string)) {
	var running sync.WaitGroup
	for _, gate := range g {
		running.Go(func() { gate.Run(ctx, wake) })
	}
	running.Wait()
}

// mayHold says whether a gate may hold something for the node of that name.
func (g gates) mayHold(node string) bool {
	return slices.ContainsFunc(g, func(gate Gate) bool {
		remembers, inMemory := gate.(MemoryGate)
		return !inMemory || remembers.Holds(node)
	})
}

// ask asks the gates whether the node may be taken out of service, or stay so, until one makes it wait.
func (g gates) ask(ctx context.Context, v *view) result {
	var holds []*v1beta1.NodeMaintenance
	for _, h := range v.Active {
		if h.Cordons() {
			holds = append(holds, h.NodeMaintenance)
		}
	}
	var did result
	for _, gate := range g {
		verdict, err := gate.Acquire(ctx, v.node, holds)
		did.add(result{again: verdict.Again, err: err})
		if v.waitsFor = verdict.Wait; v.waitsFor != nil || err != nil {
			break
		}
	}
	return did
}

// askKeepers asks the gates that can keep a node whether it may be given back, until one makes it wait.
func (g gates) askKeepers(ctx context.Context, v *view) result {
	for _, gate := range g {
		keeper, keeps := gate.(Keeper)
		if !keeps {
			continue
		}
		verdict, err := keeper.MayGiveBack(ctx, v.node)
		if err != nil {
			return result{err: err}
		}
		if v.keeps = verdict.Wait; v.keeps != nil {
			return result{again: verdict.Again}
		}
	}
	return result{}
}

// release calls the gates in reverse order, and continues with the next when one fails. While another store's server
// has the node out of service, they hold for it, too, what they hold: so they are called when that server has given the
// node back.
func (g gates) release(ctx context.Context, v *view) result {
	if v.marks.Anothers && v.marks.Tainted {
		v.memory.unreleased = true
		return result{}
	}
	var errs []error
	for _, gate := range slices.Backward(g) {
		errs = append(errs, gate.Release(ctx, v.name))
	}
	err := errors.Join(errs...)
	v.memory.unreleased = err != nil
	return result{err: err}
}
