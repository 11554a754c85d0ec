// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package server puts the parts together: it is the one place where the
// registry, which stores what is asked for, meets the drainer, which does it.
package server

import (
	"fmt"
	"time"

	"k8s.io/apiserver/pkg/admission"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/servingcert"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/openapi"
	maintenanceregistry "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
)

const (
	// version is the major and minor version of this server, which /version
	// and OpenAPI show.
	version = "0.1"

	// requestsDrainTimeout is how long requests under way may take to end at
	// shutdown, before they are cut off. Watches end sooner.
	requestsDrainTimeout = 2 * time.Second
	// connectionsCloseTimeout is how long connections may take to close, requests
	// included: net/http waits a second for what a client may have sent meanwhile.
	connectionsCloseTimeout = requestsDrainTimeout + 2*time.Second
)

// Config is what a server is made from.
type Config struct {
	// Generic is the part that every API server has.
	Generic *genericapiserver.RecommendedConfig
	// Publisher keeps the aggregator's trust in the server's own certificate.
	// Nil where the admin provides the certificate.
	Publisher *servingcert.Publisher
	// Drainer is the drainer's configuration, without its client to this
	// server, which is not known yet.
	Drainer drainer.Config
	// Space knows whether the store has space for new objects.
	Space holdstorage.Space
}

// NewGenericConfig returns the generic configuration with the API's scheme,
// OpenAPI and version in it.
func NewGenericConfig() *genericapiserver.RecommendedConfig {
	config := genericapiserver.NewRecommendedConfig(scheme.Codecs)
	config.EffectiveVersion = basecompatibility.NewEffectiveVersionFromString(version, version, version)
	config.FeatureGate = utilfeature.DefaultFeatureGate
	// Without it, watches would keep their connections open.
	config.ShutdownWatchTerminationGracePeriod = requestsDrainTimeout

	namer := openapinamer.NewDefinitionNamer(scheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIConfig.Info.Title = "Kubernetes node maintenance"
	config.OpenAPIV3Config.Info.Title = "Kubernetes node maintenance"
	return config
}

type completedConfig struct {
	generic   genericapiserver.CompletedConfig
	publisher *servingcert.Publisher
	drainer   drainer.Config
	space     holdstorage.Space
}

// CompletedConfig can only be made by Complete, so that no default is missed.
type CompletedConfig struct {
	*completedConfig
}

// Complete fills in what follows from the rest.
func (c *Config) Complete() CompletedConfig {
	return CompletedConfig{&completedConfig{
		generic:   c.Generic.Complete(),
		publisher: c.Publisher,
		drainer:   c.Drainer,
		space:     c.Space,
	}}
}

// New makes the server. Nothing runs before Run.
func (c CompletedConfig) New() (*Server, error) {
	cutOffRequests := makeRequestsEnd(c.generic.Config)
	c.generic.AdmissionControl = admission.NewChainHandler(
		authorization.New(c.generic.Authorization.Authorizer), c.generic.AdmissionControl)
	generic, err := c.generic.New("maintenance-apiserver", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("could not create the API server: %w", err)
	}
	generic.ShutdownTimeout = connectionsCloseTimeout

	drain, err := c.newDrainer()
	if err != nil {
		return nil, err
	}
	group, err := maintenanceregistry.NewAPIGroupInfo(
		scheme.Scheme, scheme.Codecs, scheme.ParameterCodec, c.generic.RESTOptionsGetter,
		maintenanceregistry.Dependencies{
			Waker: drain, Nodes: drain, Planner: drain, Space: c.space, Admission: c.generic.AdmissionControl,
		})
	if err != nil {
		return nil, fmt.Errorf("could not create the registry: %w", err)
	}
	if err := generic.InstallAPIGroup(&group); err != nil {
		return nil, fmt.Errorf("could not install the API: %w", err)
	}

	s := &Server{generic: generic, drainer: drain, publisher: c.publisher, cutOffRequests: cutOffRequests}
	return s, s.addHooks()
}

// newDrainer gives the drainer its client to this server: in process, as the
// privileged loopback user.
func (c CompletedConfig) newDrainer() (*drainer.Drainer, error) {
	client, err := versioned.NewForConfig(c.generic.LoopbackClientConfig)
	if err != nil {
		return nil, fmt.Errorf("could not create the loopback client: %w", err)
	}
	config := c.drainer
	config.Maintenance = client
	drain, err := drainer.New(config)
	if err != nil {
		return nil, fmt.Errorf("could not create the drainer: %w", err)
	}
	return drain, nil
}
