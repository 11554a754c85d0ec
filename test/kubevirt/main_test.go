// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubevirt tests what a drain does with KubeVirt's virtual machines, beside a stand-in for KubeVirt.
package kubevirt

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
	"github.com/medik8s/maintenance-apiserver/test/kubevirt/standin"
)

// TestMain runs many tests at a time, since they wait most of the time. One of them starts another server,
// so the control plane is the package's own.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "10"); err != nil {
		panic(err)
	}
	os.Exit(env.MainAlone(m))
}

// start gives the test nodes with the stand-in for KubeVirt, and the server its permissions.
func start(t *testing.T, nodes int, options ...standin.Option) (*env.Pool, *standin.KubeVirt) {
	t.Helper()
	e := env.Current(t)
	if err := standin.Install(t.Context(), e.Cluster.Dynamic()); err != nil {
		t.Fatal(err)
	}
	pool := e.NewPool(t, nodes)
	if err := e.Cluster.ApplyChart(t.Context(), "kubevirt.enabled=true"); err != nil {
		t.Fatal(err)
	}
	wantPermission(t, pool, true)
	return pool, standin.Start(t, pool, options...)
}

// wantPermission waits until the API server does, or does not, let our server read KubeVirt's kinds.
func wantPermission(t *testing.T, pool *env.Pool, want bool) {
	t.Helper()
	pool.WaitForPermission(t, authorizationv1.ResourceAttributes{
		Group: "kubevirt.io", Resource: "virtualmachineinstances", Verb: "list",
	}, want)
}

// named are machines of the names on the node.
func named(node, strategy string, names ...string) []standin.Machine {
	list := make([]standin.Machine, 0, len(names))
	for _, name := range names {
		list = append(list, standin.Machine{Name: name, Node: node, Strategy: strategy})
	}
	return list
}

// blocked accepts a hold if one of its blockers has the reason and all of the words.
func blocked(reason v1beta1.BlockerReason, words ...string) func(nm *v1beta1.NodeMaintenance) bool {
	return func(nm *v1beta1.NodeMaintenance) bool {
		return slices.ContainsFunc(nm.Status.Blockers, func(b v1beta1.DrainBlocker) bool {
			return b.Reason == reason && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(b.Message, word) })
		})
	}
}

// wantMoved wants each machine to have migrated, after few evictions.
func wantMoved(t *testing.T, k *standin.KubeVirt, mostAsked int, machines ...string) {
	t.Helper()
	for _, machine := range machines {
		if !k.Moved(machine) {
			t.Errorf("machine %s has not migrated", machine)
		}
		if asked := k.Asked(machine); asked == 0 || asked > mostAsked {
			t.Errorf("%d evictions of machine %s, want 1 to %d", asked, machine, mostAsked)
		}
	}
}
