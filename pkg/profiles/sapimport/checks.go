// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"math"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// affinityKind is the type of check that works in one state only.
const affinityKind = "affinity"

// checkKinds are the 16 types of checks.
var checkKinds = map[string]kind[v1beta1.ProfileCheck]{
	"hasAnnotation":       check(hasAnnotation),
	"hasLabel":            check(hasLabel),
	"anyLabel":            check(anyLabel),
	"condition":           check(condition),
	"clusterSemver":       check(clusterSemver),
	"kubernikusCount":     check(kubernikusCount),
	"maxMaintenance":      check(maxMaintenance),
	"stagger":             check(stagger),
	"timeWindow":          check(timeWindow),
	"wait":                check(wait),
	"waitExclude":         check(waitExclude),
	affinityKind:          {translate: check(affinity).translate, noConfig: true},
	"nodeCount":           check(nodeCount),
	"prometheusInstant":   check(prometheusInstant),
	"checkHypervisor":     check(checkHypervisor),
	"hypervisorCondition": check(hypervisorCondition),
}

// check is the kind of check that a function fills in.
func check(fill func(*plugin, *v1beta1.ProfileCheck)) kind[v1beta1.ProfileCheck] {
	return kind[v1beta1.ProfileCheck]{translate: func(p *plugin) v1beta1.ProfileCheck {
		made := v1beta1.ProfileCheck{Name: p.name}
		fill(p, &made)
		return made
	}}
}

func hasAnnotation(p *plugin, made *v1beta1.ProfileCheck) {
	made.NodeAnnotation = p.keyValue(annotationKey, nil)
}

func hasLabel(p *plugin, made *v1beta1.ProfileCheck) {
	made.NodeLabel = p.keyValue(labelKey, labelValue)
}

func anyLabel(p *plugin, made *v1beta1.ProfileCheck) {
	made.AnyNode = p.keyValue(labelKey, labelValue)
}

// keyValue reads a key and a value. An empty value means any, as it does for the controller.
func (p *plugin) keyValue(validKey, validValue func(string) []string) *v1beta1.KeyValueCheck {
	made := &v1beta1.KeyValueCheck{Key: p.config.valid("key", required, validKey)}
	if value := p.config.valid("value", optional, validValue); value != "" {
		made.Value = &value
	}
	return made
}

func condition(p *plugin, made *v1beta1.ProfileCheck) {
	made.NodeCondition = &v1beta1.NodeConditionCheck{
		Type: p.config.valid("type", required, labelKey), Status: p.conditionStatus(),
	}
}

func clusterSemver(p *plugin, made *v1beta1.ProfileCheck) {
	made.ClusterVersion = &v1beta1.ClusterVersionCheck{
		LabelKey: p.config.valid("key", required, labelKey), Scope: v1beta1.VersionScopeCluster, Parse: v1beta1.VersionStrict,
	}
	if p.config.flag("profileScoped", optional) {
		made.ClusterVersion.Scope = v1beta1.VersionScopeProfile
	}
}

func nodeCount(p *plugin, made *v1beta1.ProfileCheck) {
	made.NodeCount = &v1beta1.NodeCountCheck{Min: p.config.number("count", required, 1, math.MaxInt32)}
}

func affinity(p *plugin, made *v1beta1.ProfileCheck) {
	made.PodAffinity = &v1beta1.PodAffinityCheck{MinOperational: p.config.number("minOperational", optional, 0, math.MaxInt32)}
}
