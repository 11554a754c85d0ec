// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package options has the flags of the command line, their defaults and their validation.
package options

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/stored"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Options is everything that can be set on the command line.
type Options struct {
	// Recommended are the options that every aggregated API server has: etcd,
	// serving, delegated authentication and authorization, audit, admission.
	Recommended *genericoptions.RecommendedOptions
	// Requests is how requests are limited, and how they end when the server does.
	Requests *RequestOptions
	// Store is what stores the objects.
	Store *StoreOptions
	// Registration is how the cluster finds this server.
	Registration *RegistrationOptions
	// Legacy is which groups of former operators are served.
	Legacy *LegacyOptions
	// Drainer is how nodes are drained.
	Drainer *DrainerOptions
	// NodeLeases is how nodes are shared with other operators.
	NodeLeases *NodeLeaseOptions
	// Prometheus is which Prometheus server the gates of policies ask.
	Prometheus *PrometheusOptions
	// Profiles are what MaintenanceProfiles and MaintenanceEndpoints depend on.
	Profiles *ProfileOptions
	// SAP is for those who come from the SAP maintenance-controller.
	SAP *SAPOptions
	// Integrations is which clouds the server works with.
	Integrations *IntegrationOptions
	// CloudEvents is what is done with the events that clouds schedule.
	CloudEvents *CloudEventOptions
	// MachineAPI is which machine APIs scheduled events use.
	MachineAPI *MachineAPIOptions
	// LeaderElection is how replicas agree on the one that drains.
	LeaderElection *LeaderElectionOptions
	// Logs is how the log is written.
	Logs *logsapi.LoggingConfiguration
}

// New returns the default options. They are right for a server that runs in the cluster
// as the chart's only replica, with the embedded store.
func New() *Options {
	enableLibraryFeatures()
	return &Options{
		Recommended:    newRecommended(),
		Requests:       newRequestOptions(),
		Store:          newStoreOptions(),
		Registration:   newRegistrationOptions(),
		Legacy:         newLegacyOptions(),
		Drainer:        newDrainerOptions(),
		NodeLeases:     &NodeLeaseOptions{},
		Prometheus:     &PrometheusOptions{},
		Profiles:       newProfileOptions(),
		SAP:            newSAPOptions(),
		Integrations:   newIntegrationOptions(),
		CloudEvents:    newCloudEventOptions(),
		MachineAPI:     newMachineAPIOptions(),
		LeaderElection: newLeaderElectionOptions(),
		Logs:           logsapi.NewLoggingConfiguration(),
	}
}

func newRecommended() *genericoptions.RecommendedOptions {
	o := genericoptions.NewRecommendedOptions(
		"/registry/"+v1beta1.GroupName,
		stored.Codec,
	)
	o.Etcd.StorageConfig.EncodeVersioner = runtime.NewMultiGroupVersioner(
		v1beta1.SchemeGroupVersion, schema.GroupKind{Group: v1beta1.GroupName})
	// A cache keeps the last hundred versions of an object at least, and the ledger of thousands of nodes takes a
	// megabyte. Only this server watches it.
	o.Etcd.WatchCacheSizes = []string{v1beta1.Resource("maintenanceledgers").String() + "#0"}
	// A container that does not run as root can bind this port. The Service maps 443 to it.
	o.SecureServing.BindPort = 8443
	o.SecureServing.ServerCert.CertDirectory = ""
	// Anonymous users may read the version, as with kube-apiserver.
	o.Authorization.WithAlwaysAllowPaths("/version")
	return o
}

// AddFlags adds every flag, grouped for --help.
func (o *Options) AddFlags(fss *cliflag.NamedFlagSets) {
	o.Recommended.CoreAPI.AddFlags(fss.FlagSet("cluster"))
	o.Registration.addFlags(fss.FlagSet("cluster"))
	o.Legacy.addFlags(fss.FlagSet("legacy"))
	o.Drainer.addFlags(fss.FlagSet("drainer"))
	o.NodeLeases.addFlags(fss.FlagSet("drainer"))
	o.Prometheus.addFlags(fss.FlagSet("policies"))
	o.Profiles.addFlags(fss.FlagSet("profiles"))
	o.SAP.addFlags(fss.FlagSet("profiles"))
	o.Integrations.addFlags(fss.FlagSet("integrations"))
	o.CloudEvents.addFlags(fss.FlagSet("cloud events"))
	o.MachineAPI.addFlags(fss.FlagSet("cloud events"))
	o.LeaderElection.addFlags(fss.FlagSet("leader election"))
	o.Store.addFlags(fss.FlagSet("store"))
	o.addLibraryStoreFlags(fss.FlagSet("store"))
	o.addServingFlags(fss.FlagSet("serving"))
	o.Requests.addFlags(fss.FlagSet("requests"))
	o.Recommended.Authentication.AddFlags(fss.FlagSet("authentication"))
	o.Recommended.Authorization.AddFlags(fss.FlagSet("authorization"))
	o.Recommended.Admission.AddFlags(fss.FlagSet("admission"))
	o.Recommended.Audit.AddFlags(fss.FlagSet("audit"))
	o.Recommended.Features.AddFlags(fss.FlagSet("features"))
	utilfeature.DefaultMutableFeatureGate.AddFlag(fss.FlagSet("features"))
	o.Recommended.EgressSelector.AddFlags(fss.FlagSet("egress"))
	o.Recommended.Traces.AddFlags(fss.FlagSet("traces"))
	logsapi.AddFlags(o.Logs, fss.FlagSet("logs"))
}

// Complete sets options that follow from other options.
func (o *Options) Complete() error {
	// --kubeconfig is also the default of the more specific kubeconfig flags.
	kubeconfig := o.Recommended.CoreAPI.CoreAPIKubeconfigPath
	if o.Recommended.Authentication.RemoteKubeConfigFile == "" {
		o.Recommended.Authentication.RemoteKubeConfigFile = kubeconfig
	}
	if o.Recommended.Authorization.RemoteKubeConfigFile == "" {
		o.Recommended.Authorization.RemoteKubeConfigFile = kubeconfig
	}
	etcd := o.Recommended.Etcd
	o.Store.complete(etcd.StorageConfig.Transport.ServerList)
	etcd.SkipHealthEndpoints = etcd.SkipHealthEndpoints || o.Store.Type == store.Cluster // it has a check of its own
	o.NodeLeases.complete(o.Legacy.NodeMaintenances())
	o.LeaderElection.complete(o.embedded())
	return o.Registration.complete()
}

// Validate returns an error for everything that is wrong with the options.
func (o *Options) Validate() []error {
	var errs []error
	errs = append(errs, o.validateRecommended()...)
	errs = append(errs, o.Requests.validate(o.Recommended.Features.EnablePriorityAndFairness)...)
	errs = append(errs, o.Store.validate(o.Recommended.Etcd.StorageConfig.Transport.ServerList)...)
	errs = append(errs, o.Registration.validate()...)
	errs = append(errs, o.Legacy.validate()...)
	errs = append(errs, o.Drainer.validate()...)
	errs = append(errs, o.NodeLeases.validate()...)
	errs = append(errs, o.Prometheus.validate()...)
	errs = append(errs, o.Profiles.validate()...)
	errs = append(errs, o.SAP.validate()...)
	errs = append(errs, o.Integrations.validate()...)
	errs = append(errs, o.CloudEvents.validate()...)
	errs = append(errs, o.MachineAPI.validate()...)
	errs = append(errs, o.LeaderElection.validate()...)
	return errs
}

// embedded says whether the store is the embedded one, which only one process can use.
func (o *Options) embedded() bool { return o.Store.Type == store.Embedded }

// validateRecommended validates the library's options, but does not require an etcd, since
// there are other stores.
func (o *Options) validateRecommended() []error {
	recommended, etcd := *o.Recommended, *o.Recommended.Etcd
	if len(etcd.StorageConfig.Transport.ServerList) == 0 {
		etcd.StorageConfig.Transport.ServerList = []string{"none"}
	}
	recommended.Etcd = &etcd
	return recommended.Validate()
}
