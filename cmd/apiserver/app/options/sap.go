// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// SAPOptions are for those who come from the SAP maintenance-controller.
type SAPOptions struct {
	// Mirrors writes the label, the annotation, the events and the metrics of the controller, and has profiles act only
	// once the controller has stopped.
	Mirrors bool
	// Namespace is the namespace in which the controller has its Lease.
	Namespace string
	// Info answers what the dashboard of the controller asks.
	Info bool
	// InfoLabels are the labels of nodes that it shows.
	InfoLabels []string
}

func newSAPOptions() *SAPOptions { return &SAPOptions{Namespace: "kube-system"} }

func (o *SAPOptions) addFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.Mirrors, "sap-mirrors", o.Mirrors,
		"Write what the SAP maintenance-controller has: the label cloud.sap/maintenance-state and the annotation cloud.sap/maintenance-data of every node, "+
			"its events and its metrics. While that controller still runs, profiles only say what they would do; afterwards they go on from where it was. Default: false.")
	fs.StringVar(&o.Namespace, "sap-namespace", o.Namespace,
		"Namespace in which the SAP maintenance-controller has its Lease maintenance-controller-leader-election.cloud.sap. Only with --sap-mirrors.")
	fs.BoolVar(&o.Info, "sap-info", o.Info,
		"Answer GET /api/v1/info as the SAP maintenance-controller does, for its dashboard. Who asks needs the right to list nodeprofiles. Default: false.")
	fs.StringSliceVar(&o.InfoLabels, "sap-info-labels", o.InfoLabels,
		"Labels of nodes that /api/v1/info shows, separated by commas. Only with --sap-info. Default: none.")
}

func (o *SAPOptions) validate() []error {
	var errs []error
	if o.Mirrors && len(validation.IsDNS1123Label(o.Namespace)) > 0 {
		errs = append(errs, fmt.Errorf("--sap-namespace must be the name of a namespace, not %q", o.Namespace))
	}
	if len(o.InfoLabels) > 0 && !o.Info {
		errs = append(errs, errors.New("--sap-info-labels requires --sap-info"))
	}
	for _, label := range o.InfoLabels {
		if problems := metav1validation.ValidateLabelName(label, field.NewPath("label")); len(problems) > 0 {
			errs = append(errs, fmt.Errorf("--sap-info-labels must have labels of nodes, not %q: %s", label, problems[0].Detail))
		}
	}
	return errs
}
