// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/machines"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// Config is what an Engine is made from.
type Config struct {
	// Maintenance reads and writes at this server itself: the loopback client. Required.
	Maintenance versioned.Interface
	// Kube reads nodes, and writes events. Required.
	Kube kubernetes.Interface
	// Cluster knows nodes and NodeMaintenances. Required.
	Cluster Cluster
	// Policies knows the MaintenancePolicies. Required.
	Policies Policies
	// Machines reads and writes machines. Nil: they are never asked for, and none is replaced.
	Machines Machines
	// Recorder writes events. Default: one that writes them through Kube while Lead runs.
	Recorder record.EventRecorder
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
}

// Cluster is what an Engine knows of nodes and NodeMaintenances, from memory. A drainer.Drainer is one. What it returns is
// not to be changed.
type Cluster interface {
	// Node returns the node of that name; nil when there is none. It fails while the nodes are not known.
	Node(name string) (*corev1.Node, error)
	// Nodes returns all nodes. It fails while they are not known.
	Nodes() ([]*corev1.Node, error)
	// Holds returns all NodeMaintenances. It fails while they are not known.
	Holds() ([]*v1beta1.NodeMaintenance, error)
	// FollowNodes calls changed for each change of a node, until stop is called, and once for each node that exists. Before
	// is nil for a new one, after for one that is gone.
	FollowNodes(changed func(before, after *corev1.Node)) (stop func(), err error)
	// FollowHolds calls changed for each change of a NodeMaintenance, as FollowNodes does.
	FollowHolds(changed func(before, after *v1beta1.NodeMaintenance)) (stop func(), err error)
	// Outline says what the drain of the hold would do with each pod of its node.
	Outline(ctx context.Context, hold *v1beta1.NodeMaintenance) (*v1beta1.DrainPlanStatus, error)
}

// Policies is what an Engine knows of MaintenancePolicies, from memory. An admitter.Admitter is one. What it returns is not
// to be changed.
type Policies interface {
	// Policies returns all policies, by name.
	Policies() []*v1beta1.MaintenancePolicy
	// FollowPolicies calls changed when a policy comes, asks for something else, or goes, until stop is called.
	FollowPolicies(changed func()) (stop func(), err error)
}

// Machines reads and writes machines. A machines.Client does.
type Machines interface {
	// Find returns the machine that says it is the node: see machines.Client.
	Find(ctx context.Context, node *corev1.Node) (v1beta1.ReplacedObject, error)
	// NodeOf returns what a machine says itself of its node.
	NodeOf(ctx context.Context, machine v1beta1.MachineReference) (replacement.NodeClaim, error)
	// OwnerOf returns what replaces the machine; nil if nothing does.
	OwnerOf(ctx context.Context, machine v1beta1.ReplacedObject) (owner *replacement.Owner, kind string, err error)
	// Look reads how far a replacement is.
	Look(ctx context.Context, question machines.Question) (replacement.Facts, error)
	// Do carries out an act. It can be done again.
	Do(ctx context.Context, of v1beta1.MachineReplacement, act replacement.Act) error
}

// Engine does what ScheduledEvents ask for, while its process leads. Use New.
type Engine struct{ config Config }

// New returns an Engine that does nothing until Lead. It fails when the configuration lacks something.
func New(config Config) (*Engine, error) {
	if config.Maintenance == nil || config.Kube == nil || config.Cluster == nil || config.Policies == nil {
		return nil, errors.New("could not configure the engine of scheduled events: it needs clients, a cluster and policies")
	}
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	registerMetrics()
	return &Engine{config: config}, nil
}
