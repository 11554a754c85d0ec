// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

// watcher is who watches, in metrics.
const watcher = "profiles"

// Config is what an Engine is made from.
type Config struct {
	// Maintenance reads and writes at this server itself: the loopback client. Required.
	Maintenance versioned.Interface
	// Kube watches and reads nodes, and writes events. Required.
	Kube kubernetes.Interface
	// Holds knows the NodeMaintenances, from memory. A drainer.Drainer does. Required.
	Holds Holds
	// NewCluster returns a Cluster that knows nothing yet. Each term of leading has its own. Required.
	NewCluster func() Cluster
	// Evaluate evaluates a stored profile. Required.
	Evaluate func(evaluation.Facts) evaluation.Outcome
	// Ledger says what the ledger says about a stored profile, as Evaluate does, but asks nothing else. Required.
	Ledger func(evaluation.Facts) evaluation.Ledger
	// Forget drops what Evaluate keeps of a profile that is gone. Optional.
	Forget func(profile string)
	// Preview evaluates a profile that need not be stored. Required.
	Preview func(evaluation.Facts) evaluation.Outcome
	// Kinds are the triggers.
	Kinds action.Kinds
	// Resolve works out what of a step depends on the node when it is recorded. Optional.
	Resolve func(ctx context.Context, step *v1beta1.TransitionStep, node *corev1.Node) error
	// NewAnswers returns what asks others for the answers to checks, and asks nobody yet. Each term of leading has its own.
	// Optional: then there are none.
	NewAnswers func(cluster Cluster) Answers
	// Notify makes the notifications of a NodeProfile that are due now, in its status, and says when it is to be asked
	// again; zero: after a change. Optional: then nobody is told.
	Notify func(Telling) (again time.Time)
	// Other says which other controller still takes care of profiles on a node, or on all if it is asked without a name;
	// empty: none. If there is one, nothing is done. Optional.
	Other func(node string) string
	// Vouch says whether a profile may do what it says: if not, with the reason of its condition Acting, and what it lacks.
	// It is asked before anything starts, and from time to time. Optional: then all may.
	Vouch func(ctx context.Context, profile *v1beta1.MaintenanceProfile) (reason, lacks string, err error)
	// Guard knows the texts that are evaluated no more, since a process has died of them. Default: none is known yet.
	Guard *crashguard.Guard
	// Former knows what the controller before this one has left, which profiles go on from. Optional: then there was none.
	Former Former
	// Epoch is shared with others in this process that write the ledger. Default: nobody else does.
	Epoch *ledger.Epoch
	// MaxNodeProfiles is how many NodeProfiles there may be. Default: any number.
	MaxNodeProfiles int
	// Label is the label of nodes that has the aliases of their profiles. Default: v1beta1.DefaultProfileLabel.
	Label string
	// Recorder writes events. Default: one that writes them through Kube while Lead runs.
	Recorder record.EventRecorder
	// Clock tells the time. Default: the real one.
	Clock clock.WithTicker
}

// Holds is what an Engine knows of NodeMaintenances. What it returns is not to be changed.
type Holds interface {
	// HoldsOn returns the NodeMaintenances that name the node.
	HoldsOn(node string) []*v1beta1.NodeMaintenance
	// FollowHolds calls changed for each change of a NodeMaintenance, until stop is called. Before is nil for a new one,
	// after for one that is gone.
	FollowHolds(changed func(before, after *v1beta1.NodeMaintenance)) (stop func(), err error)
}

// Cluster is what is known of all nodes together. The Engine tells it of all changes. Each returns the names of the
// NodeProfiles that must be evaluated again. An aggregate.Aggregate is one.
type Cluster interface {
	// View lets look see the cluster, which does not change meanwhile.
	View(look func(evaluation.Cluster))
	// SetNode and the others take notice of a change.
	SetNode(node *corev1.Node) []string
	DeleteNode(name string) []string
	SetProfile(profile *v1beta1.MaintenanceProfile) []string
	DeleteProfile(name string)
	SetNodeProfile(nodeProfile *v1beta1.NodeProfile) []string
	DeleteNodeProfile(nodeProfile *v1beta1.NodeProfile) []string
}

// Telling is what notifications are made from.
type Telling struct {
	// Profile is the profile.
	Profile *v1beta1.MaintenanceProfile
	// NodeProfile is the NodeProfile. Notifications are added to its status.
	NodeProfile *v1beta1.NodeProfile
	// Siblings are the NodeProfiles of other profiles on the same node.
	Siblings []*v1beta1.NodeProfile
	// LastProfile is the profile of the node whose state has changed last; its alias, if it has one. Empty: Profile.
	LastProfile string
	// Node is the node; nil while it does not exist.
	Node *corev1.Node
	// Now is the time.
	Now time.Time
}

// Engine applies profiles to nodes, while its process leads. Every process can ask it what would be done. Use New.
type Engine struct {
	config Config
	// profiles and nodeProfiles are kept up to date in every process.
	profiles, nodeProfiles cache.SharedIndexInformer
	// told says whether the guard knows what the stored profiles say.
	told    cache.InformerSynced
	crashes crashes
	// leading is the present term; nil while this process does not lead, or there are no profiles.
	leading atomic.Pointer[term]
}

// New returns an Engine that knows nothing until Watch, and does nothing until Lead. It fails when the configuration lacks
// something.
func New(config Config) (*Engine, error) {
	if config.Maintenance == nil || config.Kube == nil || config.Holds == nil || config.NewCluster == nil || config.Evaluate == nil || config.Ledger == nil || config.Preview == nil {
		return nil, errors.New("could not configure the engine of profiles: it needs clients, holds, a cluster and an evaluation")
	}
	if config.Epoch == nil {
		config.Epoch = &ledger.Epoch{}
	}
	if config.Label == "" {
		config.Label = v1beta1.DefaultProfileLabel
	}
	if config.Guard == nil {
		config.Guard = crashguard.New()
	}
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	registerMetrics()
	e := &Engine{
		config:  config,
		crashes: crashes{known: map[string]knownCrash{}},
		profiles: watched.New(
			watched.Config{By: watcher, Resource: "maintenanceprofiles", Clients: config.Maintenance, Kind: "MaintenanceProfile", Clock: config.Clock},
			config.Maintenance.MaintenanceV1beta1().MaintenanceProfiles(), &v1beta1.MaintenanceProfile{}),
		nodeProfiles: watched.New(watched.Config{
			By: watcher, Resource: "nodeprofiles", Clients: config.Maintenance, Kind: "NodeProfile", Clock: config.Clock,
			Indexers: cache.Indexers{
				byNode:    func(obj any) ([]string, error) { return []string{specOf(obj).NodeName}, nil },
				byProfile: func(obj any) ([]string, error) { return []string{specOf(obj).Profile}, nil },
			},
		}, config.Maintenance.MaintenanceV1beta1().NodeProfiles(), &v1beta1.NodeProfile{}),
	}
	registration, err := e.profiles.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: e.knownProfile, UpdateFunc: func(_, after any) { e.knownProfile(after) }, DeleteFunc: e.goneProfile,
	})
	if err != nil {
		return nil, err
	}
	e.told = registration.HasSynced
	return e, nil
}

// The indexes of NodeProfiles.
const (
	byNode    = v1beta1.FieldNodeName
	byProfile = v1beta1.FieldProfile
)

func specOf(obj any) v1beta1.NodeProfileSpec {
	if nodeProfile, is := obj.(*v1beta1.NodeProfile); is {
		return nodeProfile.Spec
	}
	return v1beta1.NodeProfileSpec{}
}

// Watch keeps profiles and NodeProfiles up to date until ctx is done. It is to be called once, in every process.
func (e *Engine) Watch(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.profiles.RunWithContext(ctx)
	}()
	e.nodeProfiles.RunWithContext(ctx)
	<-done
}

// Wake has NodeProfiles looked at soon, by their names, if this process leads. It never blocks.
func (e *Engine) Wake(nodeProfiles ...string) {
	if t := e.leading.Load(); t != nil {
		t.wake(nodeProfiles)
	}
}

// ClusterChanged has all NodeProfiles looked at soon: what holds for all of them has changed, such as Config.Other.
func (e *Engine) ClusterChanged() {
	if t := e.leading.Load(); t != nil {
		t.wake(t.keys())
	}
}

// profile returns a profile, from the cache; nil if there is none.
func (e *Engine) profile(name string) *v1beta1.MaintenanceProfile {
	object, _, _ := e.profiles.GetStore().GetByKey(name)
	profile, _ := object.(*v1beta1.MaintenanceProfile)
	return profile
}
