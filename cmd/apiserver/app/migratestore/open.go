// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/embeddedetcd"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// open opens a store. It makes an embedded one that does not exist.
func (o *StoreOptions) open(ctx context.Context, cluster *rest.Config) (target, error) {
	switch o.Type {
	case store.Embedded:
		return o.openEmbedded(ctx)
	case store.Etcd:
		return o.openEtcd(ctx)
	default:
		return openCluster(ctx, cluster)
	}
}

// openExisting opens a store, and makes none.
func (o *StoreOptions) openExisting(ctx context.Context, cluster *rest.Config) (source, error) {
	if o.Type == store.Embedded {
		exists, err := embeddedetcd.Exists(o.Embedded.Dir)
		if err != nil {
			return nil, err
		}
		if !exists {
			return absent(o.embeddedName()), nil
		}
	}
	return o.open(ctx, cluster)
}

func (o *StoreOptions) embeddedName() string { return "the embedded store in " + o.Embedded.Dir }

func (o *StoreOptions) openEmbedded(ctx context.Context) (target, error) {
	server, err := embeddedetcd.Start(ctx, o.Embedded)
	if err != nil {
		return nil, err
	}
	p := &etcdPlace{name: o.embeddedName(), empty: "the volume, or the directory " + o.Embedded.Dir, prefix: o.Prefix, stop: server.Stop}
	if p.client, err = store.Connect(ctx, &storagebackend.TransportConfig{ServerList: []string{server.Endpoint()}}, o.ReachTimeout); err != nil {
		server.Stop()
		return nil, fmt.Errorf("could not open %s: %w", p, err)
	}
	return p, nil
}

func (o *StoreOptions) openEtcd(ctx context.Context) (target, error) {
	name := "the store in etcd at " + strings.Join(o.Etcd.ServerList, ", ")
	client, err := store.Connect(ctx, &o.Etcd, o.ReachTimeout)
	if err != nil {
		return nil, fmt.Errorf("could not open %s: %w", name, err)
	}
	empty := "etcdctl --endpoints=" + strings.Join(o.Etcd.ServerList, ",") + " del --prefix " + store.Root(o.Prefix)
	return &etcdPlace{name: name, empty: empty, client: client, prefix: o.Prefix, stop: func() {}}, nil
}

func openCluster(ctx context.Context, config *rest.Config) (target, error) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	if err := clusterstore.CheckCluster(ctx, clients.Discovery(), clients.AuthorizationV1().SelfSubjectAccessReviews()); err != nil {
		return nil, fmt.Errorf("could not use the store in the cluster: %w", err)
	}
	client, err := clusterstore.NewClient(config)
	return &clusterPlace{host: config.Host, client: client}, err
}
