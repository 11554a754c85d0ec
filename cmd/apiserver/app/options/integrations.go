// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations/kubernikus"
	"github.com/medik8s/maintenance-apiserver/pkg/integrations/vsphere"
)

// The names of integrations.
const (
	integrationVSphere    = "vsphere"
	integrationKubernikus = "kubernikus"
)

// IntegrationOptions is which clouds the server works with.
type IntegrationOptions struct {
	// Names are the integrations that run. Default: none.
	Names []string
	// VSphere and Kubernikus are their settings.
	VSphere    vsphere.Settings
	Kubernikus kubernikus.Settings
}

func newIntegrationOptions() *IntegrationOptions {
	return &IntegrationOptions{
		VSphere:    vsphere.Settings{Interval: vsphere.DefaultInterval, ShutdownTimeout: vsphere.DefaultShutdownTimeout},
		Kubernikus: kubernikus.Settings{Interval: kubernikus.DefaultInterval},
	}
}

func (o *IntegrationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.Names, "integration", o.Names,
		"Integrations to run: vsphere (nodes on hosts of vSphere that go into maintenance), kubernikus (labels of kubelets to "+
			"update, and deletion of servers in OpenStack). May be given several times. Default: none.")
	o.addVSphereFlags(fs)
	fs.StringVar(&o.Kubernikus.CloudConfig, "kubernikus-cloud-config", o.Kubernikus.CloudConfig,
		"File in the format of OpenStack's cloud provider (cloudprovider.conf) with the address of Keystone, credentials, project "+
			"and region. It may change. Required with --integration=kubernikus.")
	fs.StringVar(&o.Kubernikus.CAFile, "kubernikus-ca-file", o.Kubernikus.CAFile,
		"File with PEM certificates of the CAs of OpenStack. It may change. Default: the CAs of the system.")
	fs.DurationVar(&o.Kubernikus.Interval, "kubernikus-interval", o.Kubernikus.Interval,
		"Time between two looks at all nodes.")
}

func (o *IntegrationOptions) addVSphereFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.VSphere.URL, "vsphere-url", o.VSphere.URL,
		"URL of the vCenters, as in https://vcenter-$AZ.example.com. $AZ is replaced by the last character of a node's zone. "+
			"Required with --integration=vsphere.")
	fs.StringVar(&o.VSphere.CredentialsDir, "vsphere-credentials-dir", o.VSphere.CredentialsDir,
		"Directory with the files AZ.username and AZ.password for each zone, such as a.username. They may change. "+
			"Required with --integration=vsphere.")
	fs.StringVar(&o.VSphere.CAFile, "vsphere-ca-file", o.VSphere.CAFile,
		"File with PEM certificates of the CAs of the vCenters. It may change. Default: the CAs of the system.")
	fs.BoolVar(&o.VSphere.Insecure, "vsphere-insecure-skip-tls-verify", o.VSphere.Insecure,
		"Accept any certificate of the vCenters. Then others on the network can read the credentials.")
	fs.StringArrayVar(&o.VSphere.Alarms, "vsphere-alarm", o.VSphere.Alarms,
		"Name of an alarm of vCenter. A host on which it is triggered counts as in maintenance, and pods leave its nodes with a "+
			"grace period of 1 second. May be given several times.")
	fs.DurationVar(&o.VSphere.Interval, "vsphere-interval", o.VSphere.Interval,
		"Time between two looks at the hosts. While a machine is shut down or powered on, it is at most 10s.")
	fs.DurationVar(&o.VSphere.ShutdownTimeout, "vsphere-shutdown-timeout", o.VSphere.ShutdownTimeout,
		"How long the guest of a machine may take to shut down. Then the machine is powered off.")
}

func (o *IntegrationOptions) validate() []error {
	var errs []error
	for _, name := range o.Names {
		if name != integrationVSphere && name != integrationKubernikus {
			errs = append(errs, fmt.Errorf("--integration must be %s or %s, not %q", integrationVSphere, integrationKubernikus, name))
		}
	}
	if settings := o.VSphereSettings(); settings != nil {
		if err := settings.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("--integration=vsphere: %w", err))
		}
	}
	if settings := o.KubernikusSettings(); settings != nil {
		if err := settings.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("--integration=kubernikus: %w", err))
		}
	}
	return errs
}

// VSphereSettings are the settings of the integration with vSphere; nil if it does not run.
func (o *IntegrationOptions) VSphereSettings() *vsphere.Settings {
	if !slices.Contains(o.Names, integrationVSphere) {
		return nil
	}
	return &o.VSphere
}

// KubernikusSettings are the settings of the integration with Kubernikus; nil if it does not run.
func (o *IntegrationOptions) KubernikusSettings() *kubernikus.Settings {
	if !slices.Contains(o.Names, integrationKubernikus) {
		return nil
	}
	return &o.Kubernikus
}
