// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ProfileOptions are what MaintenanceProfiles and MaintenanceEndpoints depend on.
type ProfileOptions struct {
	// Label is the label of nodes that has the aliases of their profiles.
	Label string
	// SecretNamespace is where the Secrets are that endpoints name. Empty: endpoints with a secretRef cannot be used.
	SecretNamespace string
	// NodeKeys are the labels, annotations and finalizers of nodes that the server is permitted to change for profiles: keys,
	// DOMAIN/* for the labels and annotations of a domain, or * for all.
	NodeKeys []string
	// AllowLoopback lets endpoints be on this machine.
	AllowLoopback bool
	// CrashRecord is the file that says what a process was evaluating when it died. Empty: there is none.
	CrashRecord string
}

func newProfileOptions() *ProfileOptions {
	return &ProfileOptions{Label: v1beta1.DefaultProfileLabel, NodeKeys: []string{"*"}}
}

func (o *ProfileOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Label, "profile-label", o.Label,
		"Label of nodes with the aliases of their MaintenanceProfiles, separated by --. It is for profiles with spec.nodes.byLabel.")
	fs.StringVar(&o.SecretNamespace, "secret-namespace", o.SecretNamespace,
		"Namespace of the Secrets that MaintenanceEndpoints name. The server needs the right to get all of them. "+
			"Default: none, so that endpoints with a secretRef cannot be used.")
	fs.StringSliceVar(&o.NodeKeys, "node-keys", o.NodeKeys,
		"Labels, annotations and finalizers of nodes that the cluster permits the server to change for MaintenanceProfiles, separated by commas: keys, "+
			"DOMAIN/* for the labels and annotations of a domain, or * for all. Triggers patchNode of others are refused.")
	fs.BoolVar(&o.AllowLoopback, "allow-loopback-endpoints", o.AllowLoopback,
		"Let MaintenanceEndpoints have addresses of this machine: for tests, and for a proxy that runs beside the server. Whoever may write "+
			"endpoints then reaches everything that listens on this machine. Default: false.")
	fs.StringVar(&o.CrashRecord, "crash-record", o.CrashRecord,
		"File in which the server notes which expression or template of a user it is evaluating. If the process dies of one, the next process finds that "+
			"there, and evaluates it no more. It must be on a volume that outlives the process but not the machine, such as one in memory, and each replica "+
			"needs its own. Default: none, so that what has killed one process kills the next one.")
}

func (o *ProfileOptions) validate() []error {
	var errs []error
	if problems := metav1validation.ValidateLabelName(o.Label, field.NewPath("label")); len(problems) > 0 {
		errs = append(errs, fmt.Errorf("--profile-label must be a label of nodes, not %q: %s", o.Label, problems[0].Detail))
	}
	if o.SecretNamespace != "" && len(validation.IsDNS1123Label(o.SecretNamespace)) > 0 {
		errs = append(errs, fmt.Errorf("--secret-namespace must be the name of a namespace, not %q", o.SecretNamespace))
	}
	for _, key := range o.NodeKeys {
		if problems := validation.IsQualifiedName(strings.Replace(key, "/*", "/x", 1)); key != "*" && len(problems) > 0 {
			errs = append(errs, fmt.Errorf("--node-keys must have keys of nodes, or DOMAIN/*, not %q: %s", key, problems[0]))
		}
	}
	return errs
}
