// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// limit is a limit with the name of its field.
type limit struct {
	field string
	// key is the label of its domains. Empty: it is about all nodes.
	key   string
	value intstr.IntOrString
}

// limitsOf returns the limits that are set.
func limitsOf(spec v1beta1.PolicyLimits) []limit {
	var limits []limit
	add := func(field, key string, value *intstr.IntOrString) {
		if value != nil {
			limits = append(limits, limit{field: "spec.limits." + field, key: key, value: *value})
		}
	}
	add("maxConcurrent", "", spec.MaxConcurrent)
	add("maxUnavailable", "", spec.MaxUnavailable)
	for i, t := range spec.Topology {
		add(fmt.Sprintf("topology[%d].maxConcurrent", i), t.Key, t.MaxConcurrent)
	}
	return limits
}

// emptyWarnings warns of a policy that is there for nothing.
func emptyWarnings(spec v1beta1.MaintenancePolicySpec) []string {
	rules := v1beta1.MaintenancePolicySpec{NodeSelector: spec.NodeSelector, Queue: spec.Queue}
	if !apiequality.Semantic.DeepEqual(spec, rules) {
		return nil
	}
	return []string{"spec: the policy limits nothing: all maintenance of its nodes starts at once"}
}

// limitWarnings warns of limits with which nothing ever starts.
func limitWarnings(spec v1beta1.PolicyLimits) []string {
	var warnings []string
	for _, l := range limitsOf(spec) {
		if n, err := intstr.GetScaledValueFromIntOrPercent(&l.value, 100, false); err == nil && n == 0 {
			warnings = append(warnings, fmt.Sprintf("%s is %s: no maintenance starts", l.field, l.value.String()))
		}
	}
	return warnings
}
