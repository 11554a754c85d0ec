// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package noderole writes the ClusterRole that lets a team maintain its own nodes. The ClusterRole
// lists the nodes that a label selector matches.
package noderole

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1apply "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// sourceAnnotation of the ClusterRole is the label selector of its nodes.
const sourceAnnotation = v1beta1.GroupName + "/node-selector"

// clusterRole grants the permissions to maintain the named nodes. Without nodes, it grants no
// permissions for nodes: in RBAC, an empty list of names would mean all nodes.
func clusterRole(name, selector string, nodes []string) *rbacv1apply.ClusterRoleApplyConfiguration {
	role := rbacv1apply.ClusterRole(name).WithAnnotations(map[string]string{sourceAnnotation: selector})
	if nodes = slices.Sorted(slices.Values(nodes)); len(nodes) > 0 {
		role.WithRules(
			rule("nodes").WithVerbs("get", "list", "watch").WithResourceNames(nodes...),
			rule("nodes/drainplan").WithVerbs("get").WithResourceNames(nodes...),
			rule("nodes/maintenance").WithVerbs("get", "create", "update", "delete").WithResourceNames(nodes...))
	}
	return role.WithRules(rule("nodemaintenances").WithVerbs("get", "list", "watch", "create", "patch", "delete"),
		rbacv1apply.PolicyRule().WithAPIGroups(corev1.GroupName).WithResources("events").WithVerbs("get", "list", "watch"))
}

func rule(resources ...string) *rbacv1apply.PolicyRuleApplyConfiguration {
	return rbacv1apply.PolicyRule().WithAPIGroups(v1beta1.GroupName).WithResources(resources...)
}
