// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	"k8s.io/utils/clock"
)

const (
	// settleTime is how long all caBundles must have had the next CA before it signs. It is how much an aggregator may
	// lag.
	settleTime = 30 * time.Second
	// syncTimeout is the timeout of one look at the cluster with what follows from it.
	syncTimeout = 10 * time.Second
)

// Config is what a Keeper works with.
type Config struct {
	// Kube and APIServices are clients of the cluster.
	Kube        kubernetes.Interface
	APIServices apiregistration.Interface
	// Service is the Service of this server. The Secret is in its namespace, and has its name and "-ca".
	Service types.NamespacedName
	// APIServiceNames are the APIServices whose caBundle is kept, the server's own first. Those that do not point to
	// Service are left alone: a CRD has them, or another server.
	APIServiceNames []string
	// Name is the DNS name that the aggregator knows the server by, <service>.<namespace>.svc.
	Name string
	// Clock tells the time.
	Clock clock.WithTicker
}

// Keeper keeps the CA, this replica's serving certificate, and the caBundle of the server's APIServices.
type Keeper struct {
	config  Config
	serving content

	// The rest is for one sync at a time.

	// left says of APIServices why they do not have the CA.
	left map[string]string
	// spreadBundle is what all caBundles have had since spreadSince; nil if they differ.
	spreadBundle []byte
	spreadSince  time.Time
	// wrote says whether the last sync changed something in the cluster, or tried to.
	wrote bool
	// untrusted says whether the last sync found a caBundle without the CA that this replica serves with.
	untrusted bool
}

// New returns a Keeper that has no certificate yet.
func New(config Config) *Keeper {
	registerMetrics()
	return &Keeper{config: config, left: map[string]string{}}
}

// Content is the serving certificate, for the API server library. It has one when Prepare has returned.
func (k *Keeper) Content() dynamiccertificates.CertKeyContentProvider { return &k.serving }

// Prepare signs the first serving certificate. If it can, it also publishes the CA, so that the aggregator trusts the
// server as soon as it answers. An error says what an admin must do. One that the cluster refused can be told by
// apierrors.IsForbidden.
func (k *Keeper) Prepare(ctx context.Context) error {
	var err error
	_ = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		_, err = k.sync(ctx)
		return err
	})
	if k.serving.current() == nil {
		return fmt.Errorf("%w: apply the manifests, which have the namespace and the permissions, "+
			"or provide a certificate with --tls-cert-file and --tls-private-key-file", err)
	}
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not publish the CA of the serving certificate yet")
	}
	return nil
}

// sync looks at the cluster, and does what is to be done next. It returns when there will be more to do, if nothing
// happens before. The APIServices are read before the Secret: so a replica that lags cannot replace a caBundle by an
// older one. Whoever wrote the caBundle that was read had read the Secret before.
func (k *Keeper) sync(ctx context.Context) (next time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	k.wrote, k.untrusted = false, false
	apiServices, unread := k.readAPIServices(ctx)
	s, err := k.keepSecret(ctx, func(s state) facts {
		return facts{
			name: k.config.Name, now: k.config.Clock.Now(),
			spread: k.spread(apiServices, unread, s), known: k.known(apiServices),
		}
	})
	if err != nil {
		return next, err
	}
	if err := k.keepServing(ctx, s); err != nil {
		return next, err
	}
	return k.nextTime(s), errors.Join(unread, k.publish(ctx, apiServices, s.bundle()))
}
