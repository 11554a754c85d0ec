// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machineplayer plays the controllers of OpenShift's Machine API and of Cluster API for tests: machines become
// nodes, sets keep their replicas, deployments scale their set, and controllers of control planes replace what is deleted.
package machineplayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineapi"
)

// interval is how often everything is looked at.
const interval = 100 * time.Millisecond

// API is the machine API that is played.
type API struct {
	machines, sets, deployments, controlPlanes schema.GroupVersionResource
	// mark and undrained are the annotations that the controllers obey.
	marks     []string
	undrained string
	// openShift says that a set does not count machines that are being deleted, and that its control plane does not either.
	openShift bool
	// v1beta2 says that it is Cluster API in that version.
	v1beta2 bool
}

// OpenShift is OpenShift's Machine API.
func OpenShift() API {
	return API{
		machines: machineapi.OpenShiftMachines, sets: machineapi.OpenShiftMachineSets, controlPlanes: machineapi.OpenShiftControlPlanes,
		marks:     []string{"machine.openshift.io/delete-machine", "machine.openshift.io/cluster-api-delete-machine"},
		undrained: "machine.openshift.io/exclude-node-draining", openShift: true,
	}
}

// ClusterAPI is Cluster API in a version: v1beta1 or v1beta2.
func ClusterAPI(version string) API {
	return API{
		machines: machineapi.Machines(version), sets: machineapi.MachineSets(version),
		deployments: machineapi.MachineDeployments(version), controlPlanes: machineapi.KubeadmControlPlanes(version),
		marks: []string{"cluster.x-k8s.io/delete-machine"}, undrained: "machine.cluster.x-k8s.io/exclude-node-draining",
		v1beta2: version == "v1beta2",
	}
}

// Player plays the controllers for the machines of one namespace. Use Start.
type Player struct {
	cluster   *localcluster.Cluster
	kube      kubernetes.Interface
	objects   dynamic.Interface
	api       API
	namespace string
	delay     time.Duration
	labels    map[string]string

	mu sync.Mutex
	// failing is how many new machines are to fail.
	failing int
	// held says that machines become no nodes until Release.
	held bool
	// drained are the machines whose nodes were drained here, before their delete.
	drained []string
	// deleted are the machines that are gone.
	deleted []string
	// nodes are the nodes that were made here.
	nodes []string
	errs  []error
}

// Option changes what the player does.
type Option func(*Player)

// Delay has machines become nodes no sooner than so long after they were created.
func Delay(delay time.Duration) Option { return func(p *Player) { p.delay = delay } }

// Labels are added to the labels of the nodes.
func Labels(labels map[string]string) Option { return func(p *Player) { p.labels = labels } }

// Start plays the controllers of one API in a namespace until the test's end, when it is waited for, and the nodes are
// removed that it has made. The test fails if it could not do something.
func Start(t *testing.T, cluster *localcluster.Cluster, namespace string, api API, options ...Option) *Player {
	t.Helper()
	p := &Player{cluster: cluster, kube: cluster.Client(), objects: cluster.Dynamic(), api: api, namespace: namespace}
	for _, option := range options {
		option(p)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { p.loop(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		p.removeNodes(t)
		if err := errors.Join(p.errs...); err != nil {
			t.Errorf("the player of machines: %v", err)
		}
	})
	return p
}

// FailNext has the next new machine fail: it never becomes a node.
func (p *Player) FailNext() { p.set(func() { p.failing++ }) }

// Hold has new machines wait until Release.
func (p *Player) Hold() { p.set(func() { p.held = true }) }

// Release has machines become nodes again.
func (p *Player) Release() { p.set(func() { p.held = false }) }

// Drained are the machines whose nodes were drained here, because nobody said that they need not be.
func (p *Player) Drained() (machines []string) {
	p.set(func() { machines = slices.Clone(p.drained) })
	return machines
}

// Deleted are the machines that are gone, in order.
func (p *Player) Deleted() (machines []string) {
	p.set(func() { machines = slices.Clone(p.deleted) })
	return machines
}

func (p *Player) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// loop looks at everything until ctx is done.
func (p *Player) loop(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		p.note(ctx, p.scaleSets(ctx))
		p.note(ctx, p.keepSets(ctx))
		p.note(ctx, p.keepControlPlanes(ctx))
		p.note(ctx, p.keepMachines(ctx))
	}
}

// note keeps an error that must not be. Objects that change or go meanwhile are looked at again.
func (p *Player) note(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return
	}
	p.set(func() { p.errs = append(p.errs, fmt.Errorf("could not play: %w", err)) })
}
