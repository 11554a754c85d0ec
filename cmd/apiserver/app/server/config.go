// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package server connects the registry, which stores what users ask for, with the drainer,
// which does it. No other package imports both.
package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"k8s.io/apiserver/pkg/admission"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/buildversion"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/servingcert"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/medik8sv1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quorum"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/admitter"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/explain"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/gates"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/preview"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/openapi"
	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/engine"
	maintenanceregistry "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
	"github.com/medik8s/maintenance-apiserver/pkg/watched"
)

// Config is what a server is made from.
type Config struct {
	// Generic is the part that every API server has.
	Generic *genericapiserver.RecommendedConfig
	// AwaitedCAs are the CAs that callers are known by. Until all of them are loaded, the server answers
	// nothing but questions about its health.
	AwaitedCAs []dynamiccertificates.CAContentProvider
	// Keeper keeps the server's own certificate, and makes the aggregator trust it. It is nil if the
	// admin provides the certificate.
	Keeper *servingcert.Keeper
	// Drainer is the drainer's configuration, without its client for this server, which New
	// creates.
	Drainer drainer.Config
	// Leadership says when this server leads. It is nil if it leads all the time.
	Leadership *leadership.Elector
	// Space knows whether the store has space for new objects.
	Space resource.Space
	// ControlPlaneQuorum says whether members of the control plane are kept in service that it needs.
	ControlPlaneQuorum bool
	// OpenShift says whether the cluster is an OpenShift, whose etcd has a say in that.
	OpenShift bool
	// Prometheus is asked by the gates of policies. It is nil if there is none: such gates do not pass.
	Prometheus gates.Querier
	// Profiles are what MaintenanceProfiles and MaintenanceEndpoints depend on.
	Profiles ProfilesConfig
	// Rights are what the cluster permits the server.
	Rights authorization.ServerRights
	// SAP is for those who come from the SAP maintenance-controller.
	SAP SAPConfig
	// Integrations is which clouds the server works with.
	Integrations IntegrationsConfig
	// CloudEvents is what is done with the events that clouds schedule.
	CloudEvents CloudEventsConfig
	// Legacy is which groups of former operators are served.
	Legacy LegacyConfig
	// Shutdown is how the server shuts down.
	Shutdown ShutdownConfig
}

// NewGenericConfig returns the generic configuration with the API's scheme, OpenAPI and
// version.
func NewGenericConfig() *genericapiserver.RecommendedConfig {
	config := genericapiserver.NewRecommendedConfig(scheme.Codecs.CodecFactory)
	config.EffectiveVersion = newEffectiveVersion(buildversion.Get())
	config.FeatureGate = utilfeature.DefaultFeatureGate
	namer := openapinamer.NewDefinitionNamer(scheme.Served())
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIConfig.Info.Title = "Kubernetes node maintenance"
	config.OpenAPIV3Config.Info.Title = "Kubernetes node maintenance"
	return config
}

type completedConfig struct {
	generic genericapiserver.CompletedConfig
	awaited []dynamiccertificates.CAContentProvider
	keeper  *servingcert.Keeper
	drainer drainer.Config
	// leadership is nil if the server leads all the time.
	leadership *leadership.Elector
	space      resource.Space
	// quorum and openShift are ControlPlaneQuorum and OpenShift.
	quorum, openShift bool
	prometheus        gates.Querier
	profiles          ProfilesConfig
	rights            authorization.ServerRights
	sap               SAPConfig
	integrations      IntegrationsConfig
	cloudEvents       CloudEventsConfig
	legacy            LegacyConfig
	shutdown          ShutdownConfig
}

// CompletedConfig is made by Complete only, so that no default is missing.
type CompletedConfig struct {
	*completedConfig
}

// Complete sets what follows from the rest of the configuration.
func (c *Config) Complete() CompletedConfig {
	return CompletedConfig{&completedConfig{
		generic:    c.Generic.Complete(),
		awaited:    c.AwaitedCAs,
		keeper:     c.Keeper,
		drainer:    c.Drainer,
		leadership: c.Leadership,
		space:      c.Space,
		quorum:     c.ControlPlaneQuorum,
		openShift:  c.OpenShift,
		prometheus: c.Prometheus, integrations: c.Integrations, cloudEvents: c.CloudEvents,
		profiles: c.Profiles,
		rights:   c.Rights,
		sap:      c.SAP,
		legacy:   c.Legacy,
		shutdown: c.Shutdown,
	}}
}

// New returns a server that does nothing until Run is called.
func (c CompletedConfig) New() (*Server, error) {
	legacy, requests := c.handleRequests()
	authorizing := authorization.New(c.generic.Authorization.Authorizer, c.profiles.SecretNamespace)
	authorizing.Limit(c.rights)
	c.generic.AdmissionControl = admission.NewChainHandler(authorizing, c.generic.AdmissionControl)
	generic, err := c.generic.New("maintenance-apiserver", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("could not create the API server: %w", err)
	}
	generic.ShutdownTimeout = max(c.shutdown.RequestsGracePeriod, c.generic.ShutdownWatchTerminationGracePeriod) + connectionsLag

	client, err := newLoopbackClient(c.generic.LoopbackClientConfig, c.leadership)
	if err != nil {
		return nil, fmt.Errorf("could not create the loopback client: %w", err)
	}
	drain, err := c.newDrainer(client)
	if err != nil {
		return nil, err
	}
	drain.LeadBeside(func(ctx context.Context) { watched.TellUnreadable(ctx, c.drainer.Kube) })
	authorizing.KnowNodes(drain)
	authorizing.KnowWhatIsUnderWay(underWay(client))
	authorizing.AskForServer(c.serverMay)
	c.sap.answer(generic, client, drain.Nodes)
	mirrors := c.newMirrors()
	epoch := &ledger.Epoch{}
	admit, err := c.newAdmitter(drain, client, epoch)
	if err != nil {
		return nil, err
	}
	endpoints := c.newEndpoints(client, authorizing)
	profiles, err := c.newProfiles(drain, client, epoch, endpoints, mirrors, authorizing)
	if err != nil {
		return nil, err
	}
	c.addIntegrations(drain, client)
	if err := c.addEvents(drain, admit, client); err != nil {
		return nil, err
	}
	groups, err := c.newGroups(drain, admit, profiles, authorizing)
	if err != nil {
		return nil, fmt.Errorf("could not create the registry: %w", err)
	}
	if err := generic.InstallAPIGroups(groups...); err != nil {
		return nil, fmt.Errorf("could not install the API: %w", err)
	}

	s := &Server{
		generic: generic, drainer: drain, admitter: admit, profiles: profiles, keeper: c.keeper, leadership: c.leadership, legacy: legacy,
		shutdown: c.shutdown, requests: requests, endpoints: endpoints, mirrors: mirrors,
	}
	return s, s.addHooks()
}

// handleRequests changes how requests are handled before the API sees them.
func (c CompletedConfig) handleRequests() (legacyGroups, requestEnds) {
	refuseUnknownFields(c.generic.Config)
	refuseLongQueries(c.generic.Config)
	legacy := refuseInstalledGroups(c.generic.Config, c.legacy)
	policeOldGroups(c.generic.Config, c.legacy.Versions)
	awaitTrust(c.generic.Config, c.awaited)
	c.sap.openPath(c.generic.Config)
	return legacy, makeRequestsEnd(c.generic.Config)
}

// newGroups returns all API groups that are served.
func (c CompletedConfig) newGroups(
	drain *drainer.Drainer, admit *admitter.Admitter, profiles *engine.Engine, authorizing *authorization.Plugin,
) ([]*genericapiserver.APIGroupInfo, error) {
	own, err := maintenanceregistry.NewAPIGroupInfo(
		scheme.Scheme, scheme.Codecs, scheme.ParameterCodec, c.generic.RESTOptionsGetter,
		maintenanceregistry.Dependencies{
			Waker: drain, Nodes: drain, Planner: drain, Space: c.space, Quorum: c.guard(drain),
			Fleet: explain.New(admit), Previewer: preview.New(admit, c.prometheus != nil), Admission: c.generic.AdmissionControl,
			AuthorizeUpdate: authorizing.AuthorizeUpdate, AuthorizeRead: authorizing.AuthorizeRead, AuthorizeApproval: authorizing.AuthorizeApproval,
			AuthorizeDecision: authorizing.AuthorizeDecision, ProfilePreviewer: profiles, Evaluator: profiles,
			Room: c.room(), SharesRoom: authorizing.SharesRoom, ProfileLabel: c.profiles.Label,
			ReplacesMachines: c.replacesMachines(), ShortNameTaken: slices.Contains(c.legacy.Versions, medik8sv1beta1.SchemeGroupVersion),
		})
	if err != nil {
		return nil, err
	}
	legacy, err := maintenanceregistry.NewLegacyGroupInfos(c.legacy.Versions, own, drain, c.generic.AdmissionControl, scheme.Scheme, scheme.Codecs, scheme.ParameterCodec)
	return append([]*genericapiserver.APIGroupInfo{&own}, legacy...), err
}

// room is how much users may store within the memory of this process.
func (c CompletedConfig) room() resource.Room { return resource.NewRoom(debug.SetMemoryLimit(-1)) }

// newDrainer returns the drainer. Its client for this server calls it in process, as the
// privileged loopback user.
func (c CompletedConfig) newDrainer(client versioned.Interface) (*drainer.Drainer, error) {
	config := c.drainer
	config.Maintenance = client
	if c.leadership != nil {
		config.Elect, config.HandedOver = c.leadership.Run, c.leadership.HandedOver
	}
	drain, err := drainer.New(config)
	if err != nil {
		return nil, fmt.Errorf("could not create the drainer: %w", err)
	}
	return drain, nil
}

// newLoopbackClient returns a client of this server. If there is an elector, it writes only while this server leads.
func newLoopbackClient(config *rest.Config, elector *leadership.Elector) (versioned.Interface, error) {
	if elector != nil {
		config = rest.CopyConfig(config)
		config.Wrap(elector.Fence().Wrap)
	}
	return versioned.NewForConfig(config)
}

// guard has the drainer ask for the quorum of the control plane, and returns what the registry asks; nil when the
// control plane is not guarded.
func (c CompletedConfig) guard(drain *drainer.Drainer) holdstorage.Quorum {
	if !c.quorum {
		return nil
	}
	guard := quorum.New(drain, c.drainer.Kube, c.openShift)
	drain.AskFirst(guard)
	return guard
}
