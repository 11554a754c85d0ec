// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// podAffinity asks whether pods would move twice.
type podAffinity struct{ *v1beta1.PodAffinityCheck }

func (c podAffinity) ask(q question) CheckResult {
	if state := q.state(); state != v1beta1.ProfileMaintenanceRequired {
		return failed("the check is only for the state MaintenanceRequired, and the state is %s", state)
	}
	if c.MinOperational > 0 {
		if nodes := len(q.Cluster.InState(q.Profile.Name, v1beta1.ProfileOperational)); nodes >= int(c.MinOperational) {
			return is(true, "the profile is Operational on %s, at least %d", count(nodes, "node"), c.MinOperational)
		}
	}
	own, known := q.Pods[q.nodeName()]
	switch {
	case !known:
		return unknown("the pods of the node are not known yet")
	case !own.Prefers:
		return is(true, "no pod of the node prefers nodes that are operational")
	}
	return c.others(q, own).with("pod", own.Pod)
}

// others says whether nodes without such pods are to go first.
func (c podAffinity) others(q question, own PodAffinity) CheckResult {
	missing := ""
	for _, other := range q.Cluster.InState(q.Profile.Name, v1beta1.ProfileMaintenanceRequired) {
		if other.Node == q.nodeName() {
			continue
		}
		pods, known := q.Pods[other.Node]
		switch {
		case !known:
			missing = other.Node
		case !pods.Prefers:
			return is(false, "pod %s would move twice: node %s goes first, since no pod there prefers nodes that are operational",
				own.Pod, other.Node).with("first", other.Node)
		}
	}
	if missing != "" {
		return unknown("the pods of node %s are not known yet", missing)
	}
	return is(true, "pods of all nodes that require maintenance prefer nodes that are operational")
}
