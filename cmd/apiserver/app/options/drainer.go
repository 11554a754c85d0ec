// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
)

// DrainerOptions is how nodes are drained.
type DrainerOptions struct {
	// EvictionsInFlight is the maximum number of eviction requests at the same time.
	EvictionsInFlight int
	// Taints are set on a cordoned node in addition to the drain taint, as
	// key[=value]:effect.
	Taints []string
	// AllowForce says whether the server is permitted to delete pods, which drains with onTimeout Delete need.
	AllowForce bool
	// KubeAPIQPS and KubeAPIBurst limit the requests to the cluster, in requests per second
	// and in requests at once.
	KubeAPIQPS   float32
	KubeAPIBurst int
	// ControlPlaneQuorum says whether members of the control plane are kept in service that it needs.
	ControlPlaneQuorum bool

	taints []corev1.Taint
}

func newDrainerOptions() *DrainerOptions {
	return &DrainerOptions{
		EvictionsInFlight: drainer.DefaultEvictionsInFlight,
		// A kube-apiserver on two cores answered 440 evictions per second. Beyond what it
		// can answer, its own priority and fairness limits the requests.
		KubeAPIQPS:   500,
		KubeAPIBurst: 1000,

		AllowForce:         true,
		ControlPlaneQuorum: true,
	}
}

func (o *DrainerOptions) addFlags(fs *pflag.FlagSet) {
	fs.IntVar(&o.EvictionsInFlight, "evictions-in-flight", o.EvictionsInFlight,
		"Maximum number of eviction requests at the same time, for all nodes together.")
	fs.StringSliceVar(&o.Taints, "drain-taints", o.Taints,
		"Taints to set on a cordoned node in addition to medik8s.io/drain:NoSchedule, as key[=value]:effect, where effect "+
			"is NoSchedule or PreferNoSchedule.")
	fs.BoolVar(&o.AllowForce, "allow-force", o.AllowForce,
		"Whether the cluster permits the server to delete pods. If false, NodeMaintenances and MaintenanceProfiles with onTimeout Delete are refused.")
	fs.Float32Var(&o.KubeAPIQPS, "kube-api-qps", o.KubeAPIQPS, "Maximum number of requests per second from the drainer to the cluster.")
	fs.BoolVar(&o.ControlPlaneQuorum, "control-plane-quorum", o.ControlPlaneQuorum,
		"Whether more than half of the nodes of the control plane are kept in service. Those are the nodes with the label "+
			"node-role.kubernetes.io/control-plane or node-role.kubernetes.io/master.")
	fs.IntVar(&o.KubeAPIBurst, "kube-api-burst", o.KubeAPIBurst, "Maximum number of requests at once from the drainer to the cluster.")
}

func (o *DrainerOptions) validate() []error {
	var errs []error
	if o.EvictionsInFlight < 1 || o.EvictionsInFlight > 1000 {
		errs = append(errs, fmt.Errorf("--evictions-in-flight must be from 1 to 1000, not %d", o.EvictionsInFlight))
	}
	if o.KubeAPIQPS <= 0 {
		errs = append(errs, fmt.Errorf("--kube-api-qps must be greater than 0, not %v", o.KubeAPIQPS))
	}
	if o.KubeAPIBurst < 1 {
		errs = append(errs, fmt.Errorf("--kube-api-burst must be at least 1, not %d", o.KubeAPIBurst))
	}
	o.taints = nil
	for _, text := range o.Taints {
		taint, err := parseTaint(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--drain-taints: %w", err))
			continue
		}
		o.taints = append(o.taints, taint)
	}
	return errs
}

// ParsedTaints returns the Taints. The options must have been validated.
func (o *DrainerOptions) ParsedTaints() []corev1.Taint {
	return o.taints
}

// parseTaint reads key[=value]:effect. NoExecute is refused, because it would delete pods
// regardless of disruption budgets.
func parseTaint(text string) (corev1.Taint, error) {
	keyValue, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(keyValue, "=")
	taint := corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
	switch {
	case len(validation.IsQualifiedName(key)) > 0:
		return taint, fmt.Errorf("%q has no valid key; use key[=value]:effect", text)
	case len(validation.IsValidLabelValue(value)) > 0:
		return taint, fmt.Errorf("%q has no valid value; use key[=value]:effect", text)
	case taint.Effect != corev1.TaintEffectNoSchedule && taint.Effect != corev1.TaintEffectPreferNoSchedule:
		return taint, fmt.Errorf("%q must have the effect NoSchedule or PreferNoSchedule", text)
	}
	return taint, nil
}
