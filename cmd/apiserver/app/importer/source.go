// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	plural = "nodemaintenances"
	// finalizer is the one that the operators put on their objects.
	finalizer = "foregroundDeleteNodeMaintenance"
	// leaseHolder is who holds a node's lease while an operator has the node in maintenance.
	leaseHolder = "node-maintenance"

	kubeVirtTaint = "kubevirt.io/drain"
)

// source is an API group of an operator.
type source struct {
	group string
	// taint is the key of the taint that the operator sets besides that of spec.unschedulable.
	taint string
	// leaseNamespace and leasePrefix say where the operator has the lease of a node.
	leaseNamespace, leasePrefix string
	// election is the name of the Lease by which the operator elects its leader.
	election string
}

var (
	medik8s = source{
		group: "nodemaintenance.medik8s.io", taint: v1beta1.DrainTaint,
		leaseNamespace: "medik8s-leases", leasePrefix: "node-", election: "135b1886.medik8s.io",
	}
	kubeVirt = source{
		group: "nodemaintenance.kubevirt.io", taint: kubeVirtTaint,
		leaseNamespace: "node-maintenance", election: "135b1886.kubevirt.io",
	}
	olderKubeVirt = source{
		group: "kubevirt.io", taint: kubeVirtTaint,
		leaseNamespace: "node-maintenance", election: "135b1886.kubevirt.io",
	}
	sources = []source{medik8s, kubeVirt, olderKubeVirt}
)

func (s source) crd() string { return plural + "." + s.group }

// chosen are the sources of these groups; all sources if there are none.
func chosen(groups []string) ([]source, error) {
	if len(groups) == 0 {
		return sources, nil
	}
	var found []source
	for _, group := range groups {
		at := slices.IndexFunc(sources, func(s source) bool { return s.group == group })
		if at < 0 {
			return nil, fmt.Errorf("--group %q is not a group of a node-maintenance operator; these are: %s", group, strings.Join(groupsOf(sources), ", "))
		}
		found = append(found, sources[at])
	}
	return found, nil
}

func groupsOf(of []source) []string {
	var groups []string
	for _, s := range of {
		groups = append(groups, s.group)
	}
	return groups
}
