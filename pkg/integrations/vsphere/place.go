// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// zoneOf is the zone of a node, by which vCenter and its credentials are found: the last character of its label.
func zoneOf(node *corev1.Node) (string, error) {
	zone := cmp.Or(node.Labels[corev1.LabelTopologyZone], node.Labels[corev1.LabelFailureDomainBetaZone])
	if zone == "" {
		return "", fmt.Errorf("it has the label %s, but neither %s nor %s, so its vCenter is not known",
			HostLabel, corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone)
	}
	return zone[len(zone)-1:], nil
}

// byZone groups nodes by their zones, each sorted by name. What is wrong with a node concerns it alone.
func byZone(nodes map[string]*corev1.Node, failed func(*corev1.Node, error)) map[string][]*corev1.Node {
	zones := map[string][]*corev1.Node{}
	for _, node := range nodes {
		zone, err := zoneOf(node)
		if err != nil {
			failed(node, err)
			continue
		}
		zones[zone] = append(zones[zone], node)
	}
	for _, nodes := range zones {
		slices.SortFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	}
	return zones
}
