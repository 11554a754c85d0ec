// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	maxGates      = 8
	maxQueryBytes = 4096
)

// The kinds of gates, as their fields are called.
const (
	planUnblocked      = "planUnblocked"
	prometheus         = "prometheus"
	nodeCondition      = "nodeCondition"
	daemonSetPodsReady = "daemonSetPodsReady"
)

// Which kinds may be checked when.
var (
	startGates   = []string{planUnblocked, prometheus, nodeCondition}
	releaseGates = []string{nodeCondition, daemonSetPodsReady, prometheus}
)

var conditionStatuses = []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}

func validateGates(gates *v1beta1.PolicyGates, path *field.Path) field.ErrorList {
	if gates == nil {
		return nil
	}
	allErrs := validateGateList(gates.Start, startGates, path.Child("start"))
	allErrs = append(allErrs, validateGateList(gates.Release, releaseGates, path.Child("release"))...)
	allErrs = append(allErrs, validateReleaseInTime(gates, path.Child("release"))...)
	return append(allErrs, validateOptional(gates.ReleaseTimeoutSeconds, 1, weekSeconds, path.Child("releaseTimeoutSeconds"))...)
}

// validateReleaseInTime refuses queries that must have passed for longer than the release gates may take. They are
// first asked when the node is to be given back, so each release would count as a failure. A condition of a node can
// have lasted since before. The timeout has its default by now.
func validateReleaseInTime(gates *v1beta1.PolicyGates, path *field.Path) field.ErrorList {
	if gates.ReleaseTimeoutSeconds == nil {
		return nil
	}
	var allErrs field.ErrorList
	for i, gate := range gates.Release {
		if timeout := *gates.ReleaseTimeoutSeconds; gate.Prometheus != nil && gate.Prometheus.ForSeconds >= timeout {
			allErrs = append(allErrs, field.Invalid(path.Index(i).Child(prometheus, "forSeconds"), gate.Prometheus.ForSeconds,
				fmt.Sprintf("must be less than gates.releaseTimeoutSeconds, which is %d: the gate could never pass in time", timeout)))
		}
	}
	return allErrs
}

func validateGateList(gates []v1beta1.PolicyGate, allowed []string, path *field.Path) field.ErrorList {
	if len(gates) > maxGates {
		return field.ErrorList{field.TooMany(path, len(gates), maxGates)}
	}
	var allErrs field.ErrorList
	for i := range gates {
		allErrs = append(allErrs, validateGate(&gates[i], allowed, path.Index(i))...)
	}
	return allErrs
}

// validateGate checks that a gate is of one kind, which is allowed here.
func validateGate(gate *v1beta1.PolicyGate, allowed []string, path *field.Path) field.ErrorList {
	kinds := kindsOf(gate)
	switch {
	case len(kinds) == 0:
		return field.ErrorList{field.Required(path, "must be one of: "+strings.Join(allowed, ", "))}
	case len(kinds) > 1:
		return field.ErrorList{field.Invalid(path, strings.Join(kinds, ", "), "must be exactly one of: "+strings.Join(allowed, ", "))}
	case !slices.Contains(allowed, kinds[0]):
		return field.ErrorList{field.Forbidden(path.Child(kinds[0]), "is not checked here: use "+strings.Join(allowed, ", "))}
	case gate.Prometheus != nil:
		return validatePrometheus(gate.Prometheus, path.Child(prometheus))
	case gate.NodeCondition != nil:
		return validateNodeCondition(gate.NodeCondition, path.Child(nodeCondition))
	}
	return nil
}

func kindsOf(gate *v1beta1.PolicyGate) []string {
	var kinds []string
	for _, kind := range []struct {
		name string
		set  bool
	}{
		{planUnblocked, gate.PlanUnblocked},
		{prometheus, gate.Prometheus != nil},
		{nodeCondition, gate.NodeCondition != nil},
		{daemonSetPodsReady, gate.DaemonSetPodsReady},
	} {
		if kind.set {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

func validatePrometheus(gate *v1beta1.PrometheusGate, path *field.Path) field.ErrorList {
	allErrs := validateRange(gate.ForSeconds, 0, daySeconds, path.Child("forSeconds"))
	switch {
	case strings.TrimSpace(gate.Query) == "":
		allErrs = append(allErrs, field.Required(path.Child("query"), `must be a query of PromQL, such as sum(up{job="db"}) > 2`))
	case len(gate.Query) > maxQueryBytes:
		allErrs = append(allErrs, field.TooLong(path.Child("query"), "", maxQueryBytes))
	}
	return allErrs
}

func validateNodeCondition(gate *v1beta1.NodeConditionGate, path *field.Path) field.ErrorList {
	allErrs := validateRange(gate.ForSeconds, 0, daySeconds, path.Child("forSeconds"))
	if gate.Status != "" { // which stands for True
		allErrs = append(allErrs, validateEnum(gate.Status, conditionStatuses, path.Child("status"))...)
	}
	if gate.Type == "" {
		return append(allErrs, field.Required(path.Child("type"), "must be a condition of nodes, such as Ready"))
	}
	return append(allErrs, metav1validation.ValidateLabelName(gate.Type, path.Child("type"))...)
}
