// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package options holds the command line's flags: their defaults, their checks,
// and what they mean for the server's configuration.
package options

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Options is everything that can be set on the command line.
type Options struct {
	// Recommended are the options that every aggregated API server has: etcd,
	// serving, delegated authentication and authorization, audit, admission.
	Recommended *genericoptions.RecommendedOptions
	// Store is the embedded store, used where no external etcd is given.
	Store *StoreOptions
	// Registration is how the cluster finds this server.
	Registration *RegistrationOptions
	// Drainer is how nodes are drained.
	Drainer *DrainerOptions
	// Logs is how the log is written.
	Logs *logsapi.LoggingConfiguration
}

// New returns options with their defaults, which fit a server that runs in the
// cluster from the manifests in artifacts/.
func New() *Options {
	enableLibraryFeatures()
	return &Options{
		Recommended:  newRecommended(),
		Store:        newStoreOptions(),
		Registration: newRegistrationOptions(),
		Drainer:      newDrainerOptions(),
		Logs:         logsapi.NewLoggingConfiguration(),
	}
}

func newRecommended() *genericoptions.RecommendedOptions {
	o := genericoptions.NewRecommendedOptions(
		"/registry/"+maintenance.GroupName,
		scheme.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion),
	)
	o.Etcd.StorageConfig.EncodeVersioner = runtime.NewMultiGroupVersioner(
		v1beta1.SchemeGroupVersion, schema.GroupKind{Group: maintenance.GroupName})
	// A container that is not root can bind this port; the Service maps 443 to it.
	o.SecureServing.BindPort = 8443
	o.SecureServing.ServerCert.CertDirectory = ""
	// Who asks for the version need not say who they are, as with kube-apiserver.
	o.Authorization.WithAlwaysAllowPaths("/version")
	return o
}

// AddFlags adds every flag, grouped for --help.
func (o *Options) AddFlags(fss *cliflag.NamedFlagSets) {
	o.Recommended.CoreAPI.AddFlags(fss.FlagSet("cluster"))
	o.Registration.addFlags(fss.FlagSet("cluster"))
	o.Drainer.addFlags(fss.FlagSet("drainer"))
	o.Store.addFlags(fss.FlagSet("store"))
	o.Recommended.Etcd.AddFlags(fss.FlagSet("external etcd"))
	// It is for the library's own deletion of collections, which ours replaces.
	utilruntime.Must(fss.FlagSet("external etcd").MarkHidden("delete-collection-workers"))
	o.Recommended.SecureServing.AddFlags(fss.FlagSet("serving"))
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

// Complete fills in what follows from other flags.
func (o *Options) Complete() error {
	// One kubeconfig serves every purpose unless another is given for one.
	kubeconfig := o.Recommended.CoreAPI.CoreAPIKubeconfigPath
	if o.Recommended.Authentication.RemoteKubeConfigFile == "" {
		o.Recommended.Authentication.RemoteKubeConfigFile = kubeconfig
	}
	if o.Recommended.Authorization.RemoteKubeConfigFile == "" {
		o.Recommended.Authorization.RemoteKubeConfigFile = kubeconfig
	}
	return o.Registration.complete()
}

// Validate returns everything that is wrong with the options.
func (o *Options) Validate() []error {
	var errs []error
	errs = append(errs, o.validateRecommended()...)
	errs = append(errs, o.Store.validate()...)
	errs = append(errs, o.Registration.validate()...)
	errs = append(errs, o.Drainer.validate()...)
	return errs
}

// validateRecommended leaves out one rule of the library: an etcd need not be
// given, since one is embedded.
func (o *Options) validateRecommended() []error {
	recommended, etcd := *o.Recommended, *o.Recommended.Etcd
	if len(etcd.StorageConfig.Transport.ServerList) == 0 {
		etcd.StorageConfig.Transport.ServerList = []string{"embedded"}
	}
	recommended.Etcd = &etcd
	return recommended.Validate()
}
