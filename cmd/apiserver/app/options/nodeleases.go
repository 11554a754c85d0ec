// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodelease"
)

// NodeLeaseOptions is how nodes are shared with other operators.
type NodeLeaseOptions struct {
	// Form is what the leases of nodes look like. Complete makes an empty one Off, or Medik8s if the API
	// groups of the operators are served, which took such leases.
	Form string
	// Namespace is where the leases are. Complete makes an empty one that of the form.
	Namespace string
}

func (o *NodeLeaseOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Form, "node-leases", o.Form,
		"Leases of nodes to take before a node is cordoned, and to keep until it is given back, so that no other operator works on "+
			"the node meanwhile: Off, Medik8s (as NodeHealthCheck and self-node-remediation take them), or KubeVirt (as KubeVirt's "+
			"node maintenance operator did). Default: Off, or Medik8s with --serve-legacy-groups. Requires the rights that the chart's value nodeLeases.form gives.")
	fs.StringVar(&o.Namespace, "node-lease-namespace", o.Namespace,
		"Namespace of the leases of nodes. Default: medik8s-leases, or node-maintenance with --node-leases=KubeVirt.")
}

// complete sets the defaults. legacy says that the API groups of the operators are served.
func (o *NodeLeaseOptions) complete(legacy bool) {
	if o.Form == "" {
		o.Form = string(nodelease.Off)
		if legacy {
			o.Form = string(nodelease.Medik8s)
		}
	}
	if o.Namespace == "" {
		o.Namespace = nodelease.Form(o.Form).DefaultNamespace()
	}
}

func (o *NodeLeaseOptions) validate() []error {
	var errs []error
	if forms := nodelease.Forms(); !slices.Contains(forms, nodelease.Form(o.Form)) {
		errs = append(errs, fmt.Errorf("--node-leases must be one of %v, not %q", forms, o.Form))
	}
	if len(validation.IsDNS1123Label(o.Namespace)) > 0 {
		errs = append(errs, fmt.Errorf("--node-lease-namespace must be the name of a namespace, not %q", o.Namespace))
	}
	return errs
}
