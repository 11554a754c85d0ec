// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	apiregistrationinformers "k8s.io/kube-aggregator/pkg/client/informers/externalversions/apiregistration/v1"
)

// Run does what Prepare did again, whenever the Secret or an APIService changes or time makes it necessary, until ctx
// ends.
func (k *Keeper) Run(ctx context.Context) {
	changed := make(chan struct{}, 1)
	var watches sync.WaitGroup
	defer watches.Wait()
	for _, informer := range k.informers() {
		// It fails only for an informer that has ended.
		_, _ = informer.AddEventHandler(wakes(changed))
		watches.Go(func() { informer.RunWithContext(ctx) })
	}
	pauses := pauses{clock: k.config.Clock}
	for ctx.Err() == nil {
		next, err := k.sync(ctx)
		k.complain(ctx, err)
		k.wait(ctx, pauses.after(k.wrote || err != nil, k.untrusted), nil)
		if err == nil {
			k.wait(ctx, next.Sub(k.config.Clock.Now()), changed)
		}
	}
}

// wait waits until the time has passed, something has changed, or ctx ends.
func (k *Keeper) wait(ctx context.Context, duration time.Duration, changed <-chan struct{}) {
	timer := k.config.Clock.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-timer.C():
	}
}

// complain logs an error, unless it only says that another replica was faster.
func (k *Keeper) complain(ctx context.Context, err error) {
	if err != nil && !apierrors.IsConflict(err) && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "Could not keep the serving certificate's CA, trying again")
	}
}

// informers watch the Secret and each APIService by name, since the server may watch no others.
func (k *Keeper) informers() []cache.SharedIndexInformer {
	all := []cache.SharedIndexInformer{
		coreinformers.NewFilteredSecretInformer(k.config.Kube, k.config.Service.Namespace, 0, nil, only(k.secretName())),
	}
	for _, name := range k.config.APIServiceNames {
		all = append(all, apiregistrationinformers.NewFilteredAPIServiceInformer(k.config.APIServices, 0, nil, only(name)))
	}
	return all
}

func only(name string) func(*metav1.ListOptions) {
	return func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	}
}

// wakes puts a word into changed at each event, unless there is one already.
func wakes(changed chan<- struct{}) cache.ResourceEventHandler {
	wake := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { wake() }, UpdateFunc: func(any, any) { wake() }, DeleteFunc: func(any) { wake() },
	}
}
