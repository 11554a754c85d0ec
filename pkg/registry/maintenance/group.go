// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package maintenance lists the resources of the API group maintenance.medik8s.io.
package maintenance

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/utils/clock"

	maintenancescheme "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/approval"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceendpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceledger"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenancepolicy"
	policystorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenancepolicy/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
	profilestorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile/storage"
	nodestorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodeprofile"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/policyqueue"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/profiledecision"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/profileevaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
	eventstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/serveronly"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Dependencies are what the group's resources need beyond the store. All but Quorum, Fleet, the previewers, Evaluator,
// Bill, Room, ProfileLabel, ReplacesMachines and ShortNameTaken are required.
type Dependencies struct {
	// Waker is told of every stored change of a NodeMaintenance.
	Waker storage.Waker
	// Nodes knows the nodes.
	Nodes Nodes
	// Planner says what the drain of a new NodeMaintenance would do.
	Planner storage.Planner
	// Space knows whether the store has space for new objects.
	Space resource.Space
	// Quorum keeps enough members of the control plane in service. Nil: the control plane is not guarded.
	Quorum storage.Quorum
	// Fleet knows what the MaintenancePolicies say. Nil: there can be none.
	Fleet Fleet
	// Previewer says what a write of a MaintenancePolicy means. Nil: writes of policies are not commented on.
	Previewer policystorage.Previewer
	// Bill has users pay for what they write. Nil: there is a new one.
	Bill *resource.Bill
	// Room is how much users may store. Zero: any amount.
	Room resource.Room
	// ProfileLabel is the label of nodes that has the aliases of their profiles.
	ProfileLabel string
	// ProfilePreviewer says what a MaintenanceProfile would do. Nil: the answer to a dry run does not.
	ProfilePreviewer profilestorage.Previewer
	// Evaluator says what the checks of a NodeProfile say now. Nil: nodeprofiles/evaluation is not served.
	Evaluator profileevaluation.Evaluator
	// Admission is the server's own admission chain. It is run for NodeMaintenances that are created or
	// deleted through nodes/maintenance.
	Admission admission.Interface
	// AuthorizeUpdate authorizes updates of NodeMaintenances and ScheduledEvents before they are validated. Admission
	// must authorize them too: it sees what is stored in the end.
	AuthorizeUpdate resource.AuthorizeUpdate
	// AuthorizeRead authorizes that an answer shows the holds of a node.
	AuthorizeRead nodestorage.AuthorizeRead
	// AuthorizeApproval authorizes decisions before they are validated. Admission must authorize them too.
	AuthorizeApproval approval.Authorize
	// AuthorizeDecision authorizes decisions on NodeProfiles.
	AuthorizeDecision profiledecision.Authorize
	// SharesRoom says whether the user who makes a request leaves room for others, in what there is for profiles and endpoints.
	SharesRoom func(ctx context.Context) bool
	// ReplacesMachines says that this server may use machine APIs. Otherwise events are warned of that ask for another
	// machine.
	ReplacesMachines bool
	// ShortNameTaken says that the group of a former operator is served too, and has the short name nm. If
	// both groups had it, kubectl would warn each time that it is used.
	ShortNameTaken bool
}

// Nodes are the nodes of the cluster.
type Nodes interface {
	storage.NodeFinder
	nodestorage.Nodes
}

// Fleet knows what the MaintenancePolicies of the cluster say. It is asked while a request waits, so it answers from
// memory, but for the ledger: if there are policies, that is read from the store once a second at most.
type Fleet interface {
	storage.Fleet
	nodestorage.Fleet
	policyqueue.Fleet
}

// definitions is the table of the group's resources that are stored. endpoints returns the storage of
// MaintenanceEndpoints, once it is made.
func definitions(scheme *runtime.Scheme, deps Dependencies, endpoints func() rest.Getter) []resource.Definition {
	holds := nodemaintenance.Definition(scheme, storage.New(deps.Waker, deps.Nodes, deps.Planner, deps.Quorum, deps.Fleet))
	holds.AuthorizeUpdate = deps.AuthorizeUpdate
	if deps.ShortNameTaken {
		holds.ShortNames = nil
	}
	return []resource.Definition{
		holds,
		maintenancepolicy.Definition(scheme, policystorage.New(deps.Previewer)),
		maintenanceledger.Definition(scheme),
		maintenanceendpoint.Definition(scheme, deps.Room.ObjectBytes()),
		maintenanceprofile.Definition(scheme, deps.Room.ProfileBytes(), profilestorage.New(profilestorage.Config{
			Previewer: deps.ProfilePreviewer, Endpoints: endpoints, Nodes: deps.Nodes, Label: deps.ProfileLabel, Room: deps.Room,
			SharesRoom: deps.SharesRoom,
		})),
		nodeprofile.Definition(scheme),
		scheduledevent.Definition(scheme, deps.AuthorizeUpdate, deps.Room.ObjectBytes(), eventstorage.New(deps.Nodes, deps.ReplacesMachines)),
	}
}

// NewAPIGroupInfo makes the storage of the group's resources and describes them to
// the generic API server, ready for its InstallAPIGroup. The scheme must have the
// group installed.
func NewAPIGroupInfo(scheme *runtime.Scheme, codecs maintenancescheme.CodecFactory, parameterCodec runtime.ParameterCodec,
	optsGetter generic.RESTOptionsGetter, deps Dependencies,
) (genericapiserver.APIGroupInfo, error) {
	if err := deps.validate(); err != nil {
		return genericapiserver.APIGroupInfo{}, err
	}
	storages := map[string]rest.Storage{}
	endpoints := func() rest.Getter { return storages[maintenanceendpoint.Plural].(rest.Getter) }
	bill := deps.Bill
	if bill == nil {
		bill = resource.NewBill(clock.RealClock{})
	}
	for _, definition := range definitions(scheme, deps, endpoints) {
		definition.Bill, definition.SharesRoom = bill, deps.SharesRoom
		if definition.Plural != maintenanceledger.Plural { // there is one, and what has begun cannot end without it
			definition.Space = deps.Space
		}
		served, err := resource.NewStorage(definition, optsGetter)
		if err != nil {
			return genericapiserver.APIGroupInfo{}, err
		}
		maps.Copy(storages, served)
	}
	holds, ok := storages[nodemaintenance.Plural].(*storage.REST)
	if !ok {
		return genericapiserver.APIGroupInfo{}, fmt.Errorf("nodemaintenances are served by %T", storages[nodemaintenance.Plural])
	}
	policies, ok := storages[maintenancepolicy.Plural].(*policystorage.REST)
	if !ok {
		return genericapiserver.APIGroupInfo{}, fmt.Errorf("maintenancepolicies are served by %T", storages[maintenancepolicy.Plural])
	}
	storages[policyqueue.Resource] = policyqueue.New(policies, deps.Fleet)
	storages[approval.Resource] = approval.New(holds, policies, deps.Nodes, deps.AuthorizeApproval)
	if err := addToNodeProfiles(storages, deps); err != nil {
		return genericapiserver.APIGroupInfo{}, err
	}
	maps.Copy(storages, nodestorage.New(deps.Nodes, holds, deps.Admission, admission.NewObjectInterfacesFromScheme(scheme), deps.AuthorizeRead, deps.Fleet))
	return newGroupInfo(v1beta1.SchemeGroupVersion, storages, scheme, codecs, parameterCodec), nil
}

func (d *Dependencies) validate() error {
	if d.Waker == nil || d.Nodes == nil || d.Planner == nil || d.Space == nil || d.Admission == nil ||
		d.AuthorizeUpdate == nil || d.AuthorizeRead == nil || d.AuthorizeApproval == nil || d.AuthorizeDecision == nil || d.SharesRoom == nil {
		return errors.New("the registry needs a waker, the nodes, a planner, the space, admission and authorization")
	}
	return nil
}

// addToNodeProfiles adds the subresources of NodeProfiles for people.
func addToNodeProfiles(storages map[string]rest.Storage, deps Dependencies) error {
	nodeProfiles, ok := storages[nodeprofile.Plural].(*serveronly.REST)
	if !ok {
		return fmt.Errorf("nodeprofiles are served by %T", storages[nodeprofile.Plural])
	}
	storages[profiledecision.Resource] = profiledecision.New(nodeProfiles.Store, deps.AuthorizeDecision)
	if deps.Evaluator != nil {
		storages[profileevaluation.Resource] = profileevaluation.New(nodeProfiles, deps.Evaluator)
	}
	return nil
}

func newGroupInfo(version schema.GroupVersion, storages map[string]rest.Storage, scheme *runtime.Scheme,
	codecs maintenancescheme.CodecFactory, parameterCodec runtime.ParameterCodec,
) genericapiserver.APIGroupInfo {
	info := genericapiserver.NewDefaultAPIGroupInfo(version.Group, scheme, parameterCodec, codecs.CodecFactory)
	info.NegotiatedSerializer = withoutProtobuf{codecs}
	info.VersionedResourcesStorageMap[version.Version] = storages
	return info
}
