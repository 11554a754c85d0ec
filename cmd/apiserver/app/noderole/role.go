// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package noderole writes the ClusterRole that lets a team maintain nodes of its own, and keeps
// its list of nodes in step with a label of the nodes.
package noderole

import (
	"slices"

	rbacv1apply "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// sourceAnnotation says on the ClusterRole which nodes it is for.
const sourceAnnotation = v1beta1.GroupName + "/node-selector"

// clusterRole lets its holders maintain the named nodes. Without any it grants nothing about nodes:
// to RBAC, an empty list of names means all of them.
func clusterRole(name, selector string, nodes []string) *rbacv1apply.ClusterRoleApplyConfiguration {
	role := rbacv1apply.ClusterRole(name).WithAnnotations(map[string]string{sourceAnnotation: selector})
	if nodes = slices.Sorted(slices.Values(nodes)); len(nodes) > 0 {
		role.WithRules(
			rule("nodes", "nodes/drainplan").WithVerbs("get").WithResourceNames(nodes...),
			rule("nodes/maintenance").WithVerbs("get", "create", "update", "delete").WithResourceNames(nodes...))
	}
	return role.WithRules(rule("nodemaintenances").WithVerbs("get", "list", "watch", "create", "patch", "delete"))
}

func rule(resources ...string) *rbacv1apply.PolicyRuleApplyConfiguration {
	return rbacv1apply.PolicyRule().WithAPIGroups(v1beta1.GroupName).WithResources(resources...)
}
