// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package env gives a package of integration tests its control plane, with our
// server in it, and the few things that every such test does: take nodes of its
// own, call kubectl, wait for a condition.
package env

import (
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// Env is a control plane with our server registered and running.
type Env struct {
	// Cluster is the control plane.
	Cluster *localcluster.Cluster
	// Server is our server; nil if there are Replicas.
	Server *localcluster.Server
	// Replicas are several of our servers; nil if there is one Server.
	Replicas *localcluster.Replicas
	// Kube is the admin's client for everything but our API.
	Kube kubernetes.Interface
	// Maintenance is the admin's client for our API, through the aggregator.
	Maintenance versioned.Interface
}

// MaintenanceAs returns a client for our API, through the aggregator, for any
// user. What the user may do is up to RBAC.
func (e *Env) MaintenanceAs(t testing.TB, user string, groups ...string) versioned.Interface {
	t.Helper()
	config, err := e.Cluster.UserConfig(user, groups...)
	if err != nil {
		t.Fatalf("could not make a client certificate for %s: %v", user, err)
	}
	return mustClient(t, config)
}

func mustClient(t testing.TB, config *rest.Config) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatalf("could not create a client: %v", err)
	}
	return client
}
