// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storeapi tests what is different for users and admins when the server stores its objects in the API of the
// cluster. What should be the same, the tests of package api show with TEST_STORE=cluster.
package storeapi

import (
	"os"
	"testing"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) {
	options := env.ServerOptions()
	options.Store = "cluster"
	os.Exit(env.MainWith(m, options))
}

const resource = "storednodemaintenances.store.maintenance.medik8s.io"

// envelopes returns a client for the envelopes, as the server.
func envelopes(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	config := rest.CopyConfig(env.Current(t).Cluster.Config())
	config.Impersonate.UserName = serverUser
	client, err := clusterstore.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := clusterstore.KindOf(holdResource)
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(kind.GVR())
}
