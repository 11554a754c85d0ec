// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// nodeWarnings warns of what the policy means for the nodes that there are.
func nodeWarnings(policy *v1beta1.MaintenancePolicy, facts decision.Facts) []string {
	var selected []*corev1.Node
	for _, node := range facts.Nodes {
		selects, err := decision.Selects(policy, node)
		if err != nil {
			return nil
		}
		if selects {
			selected = append(selected, node)
		}
	}
	if len(selected) == 0 {
		return []string{fmt.Sprintf("spec.nodeSelector selects none of the cluster's nodes, of which there are %d", len(facts.Nodes))}
	}
	warnings := topologyWarnings(policy.Spec.Limits.Topology, selected)
	for _, l := range limitsOf(policy.Spec.Limits) {
		if warning := roundingWarning(l, selected, facts); warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return warnings
}

// topologyWarnings warns of labels that no selected node has: they may be misspelt.
func topologyWarnings(limits []v1beta1.TopologyLimit, selected []*corev1.Node) []string {
	var warnings []string
	for i, l := range limits {
		if !slices.ContainsFunc(selected, func(node *corev1.Node) bool { return node.Labels[l.Key] != "" }) {
			warnings = append(warnings, fmt.Sprintf("spec.limits.topology[%d].key: no selected node has the label %q, so all count as one domain",
				i, l.Key))
		}
	}
	return warnings
}

// roundingWarning warns of a share that counts as one node although it is less. Of a limit for domains, it speaks of
// the first domain for which that is so.
func roundingWarning(l limit, selected []*corev1.Node, facts decision.Facts) string {
	share, err := intstr.GetScaledValueFromIntOrPercent(&l.value, 100, false)
	if err != nil || l.value.Type != intstr.String || share == 0 {
		return ""
	}
	domains := domainsOf(l.key, selected)
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		counted, err := decision.Resolve(intstr.FromString("100%"), domains[domain], facts.Now)
		if err == nil && counted*share < 100 {
			return fmt.Sprintf("%s: %s of %s%s is less than one, and counts as one",
				l.field, l.value.String(), english.Plural(counted, "node", ""), domainText(l.key, domain))
		}
	}
	return ""
}

// domainsOf returns the nodes of each domain. Without a key, all nodes are one domain.
func domainsOf(key string, nodes []*corev1.Node) map[string][]*corev1.Node {
	domains := map[string][]*corev1.Node{}
	for _, node := range nodes {
		domain := ""
		if key != "" {
			domain = node.Labels[key]
		}
		domains[domain] = append(domains[domain], node)
	}
	return domains
}

func domainText(key, domain string) string {
	switch {
	case key == "":
		return ""
	case domain == "":
		return " without the label " + key
	default:
		return fmt.Sprintf(" with %s=%s", key, domain)
	}
}
