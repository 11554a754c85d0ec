// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"

	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	listers "github.com/medik8s/maintenance-apiserver/pkg/generated/listers/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint/clients"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox/delivery"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

// endpoints are the servers that profiles call, as MaintenanceEndpoints say. They are known while watch runs, and only
// who leads calls them.
type endpoints struct {
	*clients.Clients
	informer cache.SharedIndexInformer
}

// newEndpoints returns the servers that profiles call. The client is one for this server.
func (c CompletedConfig) newEndpoints(client versioned.Interface, authorizing *authorization.Plugin) *endpoints {
	informer := watched.New(
		watched.Config{By: "endpoints", Resource: "maintenanceendpoints", Clients: client, Kind: "MaintenanceEndpoint"},
		client.MaintenanceV1beta1().MaintenanceEndpoints(), &v1beta1.MaintenanceEndpoint{})
	return &endpoints{informer: informer, Clients: clients.New(clients.Config{
		Endpoints: listers.NewMaintenanceEndpointLister(informer.GetIndexer()), Kube: c.drainer.Kube,
		SecretNamespace: c.profiles.SecretNamespace, AllowLoopback: c.profiles.AllowLoopback, Vouch: authorizing.VouchForEndpoint,
	})}
}

// watch knows the endpoints until ctx is done.
func (e *endpoints) watch(ctx context.Context) {
	defer e.Close()
	count := func(any) { delivery.KeepCounters(e.informer.GetStore().ListKeys()) }
	_, _ = e.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: count, DeleteFunc: count}) // it fails only after it has run
	e.informer.RunWithContext(ctx)
}

// first has work wait until the endpoints are known: one that is not known yet is none that does not exist.
func (e *endpoints) first(work func(ctx context.Context)) func(ctx context.Context) {
	return func(ctx context.Context) {
		if cache.WaitForCacheSync(ctx.Done(), e.informer.HasSynced) {
			work(ctx)
		}
	}
}
