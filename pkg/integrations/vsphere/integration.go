// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

// zoneTimeout is how long a round of one zone may take. What is left is done in the next one.
const zoneTimeout = 2 * time.Minute

// Config is what an Integration is made from. All but the fence is required.
type Config struct {
	Settings
	// Kube reads and marks nodes.
	Kube kubernetes.Interface
	// Maintenance is the loopback client of the server.
	Maintenance versioned.Interface
	// Known knows all NodeMaintenances.
	Known integrations.Known
	// Fence keeps this process from changing anything in the cloud while it does not lead. Default: it leads all the time.
	Fence integrations.Fence
	// Recorder writes the events of nodes.
	Recorder record.EventRecorder
	// Clock tells the time.
	Clock clock.Clock
}

// Integration looks after the nodes on hosts of vSphere. Use New.
type Integration struct {
	settings Settings
	nodes    integrations.Nodes
	holds    *integrations.Holds
	reporter *integrations.Reporter
	clock    clock.Clock
	sessions *sessions
	// asked are the shutdowns that this process has asked for, by the UID of the node and its ShutdownAnnotation.
	asked sync.Map
}

// New returns an Integration that does nothing until Run.
func New(config Config) *Integration {
	return &Integration{
		settings: config.Settings, nodes: integrations.NewNodes(config.Kube), clock: config.Clock,
		holds:    integrations.NewHolds(config.Maintenance, config.Known, v1beta1.VSphereRequestor),
		reporter: integrations.NewReporter(config.Recorder), sessions: newSessions(config.Settings, config.Fence),
	}
}

// Run looks after the nodes until ctx is done. Then it logs out of the vCenters, and returns.
func (i *Integration) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithName("vsphere"))
	defer i.sessions.close(ctx)
	integrations.Loop(ctx, i.clock, i.settings.Interval, i.round)
}

// round looks at each node once. Zones do not wait for each other. It says whether something is under way.
func (i *Integration) round(ctx context.Context) (waits bool) {
	nodes, err := i.nodes.List(ctx, HostLabel)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not look after the nodes")
		return false
	}
	i.giveBackOthers(ctx, nodes)
	var working sync.WaitGroup
	var underWay atomic.Bool
	zones := byZone(nodes, func(node *corev1.Node, err error) { i.reporter.Result(ctx, node.Name, err) })
	for zone, nodes := range zones {
		working.Go(func() {
			if i.zone(ctx, zone, nodes) {
				underWay.Store(true)
			}
		})
	}
	working.Wait()
	return underWay.Load()
}

// zone looks at the nodes of a zone. What is wrong with a node concerns it alone.
func (i *Integration) zone(ctx context.Context, zone string, nodes []*corev1.Node) (waits bool) {
	round, cancel := context.WithTimeout(ctx, zoneTimeout)
	defer cancel()
	v := &visit{Integration: i}
	if err := v.begin(round, zone); err != nil {
		i.leave(ctx, zone, nodes, err)
		return false
	}
	for _, node := range nodes {
		underWay, err := v.node(round, node)
		waits = waits || underWay
		i.reporter.Result(ctx, node.Name, err)
	}
	return waits
}

// leave leaves the nodes of a zone as they are, since its vCenter cannot be asked, and tells so of those that wait for it.
func (i *Integration) leave(ctx context.Context, zone string, nodes []*corev1.Node, err error) {
	klog.FromContext(ctx).Error(err, "Could not ask the vCenter of a zone", "zone", zone, "nodes", len(nodes))
	for _, node := range nodes {
		if initiated(node) {
			i.reporter.Result(ctx, node.Name, err)
		}
	}
}

// giveBackOthers gives back nodes that are held without a record: somebody has removed it, or the node is gone.
func (i *Integration) giveBackOthers(ctx context.Context, nodes map[string]*corev1.Node) {
	held, err := i.holds.Nodes()
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not look for nodes that are held without a record")
	}
	held = slices.DeleteFunc(held, func(name string) bool { return nodes[name] != nil && initiated(nodes[name]) })
	for _, name := range held {
		if _, err := i.holds.GiveBack(ctx, name); err != nil {
			i.reporter.Result(ctx, name, err)
		}
	}
}
