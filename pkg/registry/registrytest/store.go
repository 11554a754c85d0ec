// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package registrytest gives tests of the registry a store of their own.
package registrytest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/etcd3/testserver"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/stored"
)

// RESTOptions starts an etcd that ends with the test, and returns the options
// that store the resource in it with the watch cache in front, as the server does.
func RESTOptions(t testing.TB, resource schema.GroupResource) generic.RESTOptions {
	t.Helper()
	return optionsOf(startEtcd(t), resource)
}

// RESTOptionsGetter starts an etcd that ends with the test, and returns what stores every resource in it as
// RESTOptions does, each at a place of its own.
func RESTOptionsGetter(t testing.TB) generic.RESTOptionsGetter {
	t.Helper()
	return ofEach(startEtcd(t))
}

// ofEach are the endpoints of an etcd that stores each resource at a place of its own.
type ofEach []string

// GetRESTOptions implements generic.RESTOptionsGetter.
func (endpoints ofEach) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	return optionsOf(endpoints, resource), nil
}

// startEtcd returns the endpoints of an etcd that ends with the test. It listens on sockets with paths, since
// another process could take a free port before the etcd does.
func startEtcd(t testing.TB) []string {
	t.Helper()
	config, sockets := testserver.NewTestConfig(t), socketDir(t)
	client, peer := socketURL(sockets, "client"), socketURL(sockets, "peer")
	config.ListenClientUrls, config.AdvertiseClientUrls = client, client
	config.ListenPeerUrls, config.AdvertisePeerUrls = peer, peer
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd := testserver.RunEtcd(t, config)
	t.Cleanup(func() {
		if err := etcd.Close(); err != nil {
			t.Errorf("could not close the etcd client: %v", err)
		}
	})
	return etcd.Endpoints()
}

// socketDir makes a directory until the test's end. That of the test may be longer than a socket's path can be.
func socketDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("could not remove the etcd's sockets: %v", err)
		}
	})
	return dir
}

func socketURL(dir, name string) []url.URL {
	return []url.URL{{Scheme: "unix", Path: filepath.Join(dir, name)}}
}

func optionsOf(endpoints []string, resource schema.GroupResource) generic.RESTOptions {
	config := storagebackend.NewDefaultConfig("/registry", stored.Codec)
	config.Transport.ServerList = endpoints
	return generic.RESTOptions{
		StorageConfig:           config.ForResource(resource),
		Decorator:               genericregistry.StorageWithCacher(),
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          resource.Group + "/" + resource.Resource,
	}
}

// WaitUntilReady waits until the watch cache of the storage is filled. The server
// reports itself ready only then, and answers no list before.
func WaitUntilReady(t testing.TB, storage rest.StorageWithReadiness) {
	t.Helper()
	filled := func(context.Context) (bool, error) { return storage.ReadinessCheck() == nil, nil }
	err := wait.PollUntilContextTimeout(context.Background(), 5*time.Millisecond, 5*time.Minute, true, filled)
	if err != nil {
		t.Fatalf("the watch cache was not filled in time: %v", storage.ReadinessCheck())
	}
}
