// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// nodeCount asks how many nodes the cluster has.
type nodeCount struct{ *v1beta1.NodeCountCheck }

func (c nodeCount) ask(q question) CheckResult {
	nodes := q.Cluster.NodeCount()
	answer := is(nodes >= int(c.Min), "the cluster has %s, and must have at least %d", count(nodes, "node"), c.Min)
	return answer.with("current", nodes).with("expected", c.Min)
}
