// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

const (
	// mostFailures is how many times in a row a lease that we had may fail to be kept. With one more, the
	// maintenance has failed.
	mostFailures = 3
	// attemptInterval is the time from one attempt that counts to the next.
	attemptInterval = 2 * time.Second
	// askInterval is how often a lease that another holder has is read at least: the watch may not work.
	askInterval = time.Minute
)

// Config is what a Gate is made from.
type Config struct {
	// Kube reads and writes leases. Required.
	Kube kubernetes.Interface
	// Form is Medik8s or KubeVirt. Required.
	Form Form
	// Namespace is where the leases are. Default: that of the form.
	Namespace string
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
}

// Gate has each node that is taken out of service be leased. Use New.
type Gate struct {
	form   Form
	client client
	clock  clock.WithTicker

	// mu guards what follows. It is not held while a request is made.
	mu sync.Mutex
	// watching says that the watch shows all leases, so that no request is needed to know one.
	watching bool
	nodes    map[string]*node
}

var _ drainer.Keeper = &Gate{}

// New returns a Gate that has no lease yet.
func New(config Config) *Gate {
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	if config.Namespace == "" {
		config.Namespace = config.Form.DefaultNamespace()
	}
	return &Gate{
		form: config.Form, clock: config.Clock, nodes: map[string]*node{},
		client: client{kube: config.Kube, namespace: config.Namespace},
	}
}

// Acquire implements drainer.Gate: it takes the lease of the node, or has the node wait while another holder has
// it. If the node is in maintenance already, the lease is lost, and each failure counts. A lease that cannot be read
// is lost only when ours must have ended.
func (g *Gate) Acquire(ctx context.Context, object *corev1.Node, holds []*v1beta1.NodeMaintenance) (drainer.Verdict, error) {
	n, foreign, err := g.take(ctx, object)
	switch {
	case apierrors.IsConflict(err):
		return drainer.Verdict{}, err // somebody is at work on the lease: it is looked at again at once
	case foreign == nil && err == nil:
		g.keep(n)
		return drainer.Verdict{}, nil
	case err != nil && failuresSaid(holds) == 0 && g.mayHave(n):
		return drainer.Verdict{}, err
	case startedBefore(object, holds) || g.failing(n):
		return g.lost(ctx, n, foreign, err, failuresSaid(holds)), nil
	case err != nil:
		return drainer.Verdict{}, err
	default:
		return g.held(n, foreign), nil
	}
}

// MayGiveBack implements drainer.Keeper: a node is given back by who has its lease. So the lease is taken if nobody
// has it.
func (g *Gate) MayGiveBack(ctx context.Context, object *corev1.Node) (drainer.Verdict, error) {
	n, foreign, err := g.take(ctx, object)
	if foreign == nil || err != nil {
		return drainer.Verdict{}, err
	}
	return g.kept(n, foreign), nil
}

// Release implements drainer.Gate: it drops the lease if it is ours. A lease that the server has no rights on
// ends by itself.
func (g *Gate) Release(ctx context.Context, name string) error {
	g.forget(name)
	lease, err := g.client.get(ctx, g.form.leaseOf(name))
	if err == nil && lease != nil && isOurs(lease) {
		err = g.drop(ctx, lease)
	}
	if apierrors.IsForbidden(err) {
		klog.FromContext(ctx).Error(err, "Leaving lease of node to end by itself", "node", name)
		return nil
	}
	return err
}

func (g *Gate) drop(ctx context.Context, lease *coordinationv1.Lease) error {
	klog.FromContext(ctx).Info("Dropping lease of node", "lease", klog.KObj(lease))
	if g.form != KubeVirt {
		return g.client.remove(ctx, lease)
	}
	_, err := g.client.write(ctx, dropped(lease))
	return err
}
