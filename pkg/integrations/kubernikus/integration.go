// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// Labels of nodes.
const (
	// UpdateLabel says whether the kubelet has another version than the API server: true or false.
	UpdateLabel = "cloud.sap/kubelet-needs-update"
	// DeleteLabel has the node drained and its server deleted, if it is true.
	DeleteLabel = "cloud.sap/delete-node"
)

// DefaultInterval is the default of Settings.Interval.
const DefaultInterval = 30 * time.Second

// nodeTimeout is how long a round may take for one node.
const nodeTimeout = time.Minute

// Settings are what an admin sets.
type Settings struct {
	// CloudConfig is a file in the format of OpenStack's cloud provider, such as a mounted Secret, with the address of
	// Keystone, credentials, project and region. It is read whenever a server is to be deleted. Required.
	CloudConfig string
	// CAFile has the certificates, as PEM, of the CAs of OpenStack. Default: those of the system.
	CAFile string
	// Interval is the time between two rounds.
	Interval time.Duration
}

// Validate says what is wrong with the settings.
func (s *Settings) Validate() error {
	switch {
	case s.CloudConfig == "":
		return errors.New("the file with the credentials for OpenStack is not set")
	case s.Interval < time.Second:
		return errors.New("the interval of the rounds must be at least 1s")
	default:
		return nil
	}
}

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

// Integration looks after the nodes of a cluster of Kubernikus. Use New.
type Integration struct {
	config   Config
	nodes    integrations.Nodes
	holds    *integrations.Holds
	reporter *integrations.Reporter
}

// New returns an Integration that does nothing until Run.
func New(config Config) *Integration {
	return &Integration{
		config: config, nodes: integrations.NewNodes(config.Kube), reporter: integrations.NewReporter(config.Recorder),
		holds: integrations.NewHolds(config.Maintenance, config.Known, v1beta1.KubernikusRequestor),
	}
}

// Run looks after the nodes until ctx is done.
func (i *Integration) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithName("kubernikus"))
	integrations.Loop(ctx, i.config.Clock, i.config.Interval, func(ctx context.Context) (waits bool) {
		if err := i.round(ctx); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Could not look after the nodes")
		}
		return false
	})
}

// round looks at each node once. What is wrong with a node concerns it alone.
func (i *Integration) round(ctx context.Context) error {
	nodes, err := i.nodes.List(ctx, "")
	if err != nil {
		return err
	}
	version, err := i.config.Kube.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("could not ask the API server for its version: %w", err)
	}
	v := &visit{Integration: i, version: version.GitVersion}
	defer v.close()
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		i.reporter.Result(ctx, name, v.node(ctx, nodes[name]))
	}
	return i.giveBackOthers(ctx, nodes)
}

// giveBackOthers gives back nodes that are gone, or whose server is not to be deleted any more.
func (i *Integration) giveBackOthers(ctx context.Context, nodes map[string]*corev1.Node) error {
	held, err := i.holds.Nodes()
	for _, name := range held {
		if node := nodes[name]; node != nil && node.Labels[DeleteLabel] == isTrue {
			continue
		}
		_, notGiven := i.holds.GiveBack(ctx, name)
		err = errors.Join(err, notGiven)
	}
	return err
}
