// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Gate decides when a node may be taken out of service. It is asked at each reconcile of the node, after
// what the node was like before was recorded, and before the node is cordoned. A node that must wait is
// not cordoned, and nothing is evicted from it. A node that is cordoned already stays cordoned.
type Gate interface {
	// Acquire asks for the node on behalf of the holds that are to have it cordoned. It returns what
	// the node waits for; nil when it need not wait. It may be called many times for one node, and
	// takes what it takes only once. With an error the node waits too, and is looked at again.
	Acquire(ctx context.Context, node *corev1.Node, holds []*v1beta1.NodeMaintenance) (*Wait, error)
	// Release gives back what Acquire took for the node of that name, if anything. It is called when
	// the node has been given back, or does not exist, and before its last holds end. With an
	// error they do not end, and it is called again. For a node that nobody holds a crash may prevent the
	// call: a gate must also end what it took for a node that is in service again.
	Release(ctx context.Context, node string) error
}

// Wait is what a node waits for before it may be taken out of service.
type Wait struct {
	// Reason is the reason of the condition Cordoned meanwhile, in CamelCase.
	Reason string
	// Message says in one sentence what is waited for, with numbers.
	Message string
	// Again is after how long to ask again if nothing wakes the node before; zero: never.
	Again time.Duration
}

// gates are asked one after the other. A node may be taken out of service when none of them says that
// it must wait.
type gates []Gate

func (g gates) acquire(ctx context.Context, v *view) (*Wait, error) {
	if len(g) == 0 {
		return nil, nil
	}
	var holds []*v1beta1.NodeMaintenance
	for _, h := range v.active {
		if h.cordons() {
			holds = append(holds, h.NodeMaintenance)
		}
	}
	for _, gate := range g {
		if wait, err := gate.Acquire(ctx, v.node, holds); wait != nil || err != nil {
			return wait, err
		}
	}
	return nil, nil
}

// release calls the gates in reverse order, and continues with the next when one fails.
func (g gates) release(ctx context.Context, node string) error {
	var errs []error
	for i := len(g) - 1; i >= 0; i-- {
		errs = append(errs, g[i].Release(ctx, node))
	}
	return errors.Join(errs...)
}
