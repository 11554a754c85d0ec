// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// nodeCondition asks for a condition of the node.
type nodeCondition struct{ *v1beta1.NodeConditionCheck }

func (c nodeCondition) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	for _, condition := range q.Node.Status.Conditions {
		if condition.Type == corev1.NodeConditionType(c.Type) {
			return c.compare(string(condition.Status))
		}
	}
	return is(false, "the node has no condition %s", c.Type).with("expected", c.Status)
}

func (c nodeCondition) compare(status string) CheckResult {
	answer := is(true, "condition %s is %s", c.Type, status)
	if status != string(c.Status) {
		answer = is(false, "condition %s is %s, not %s", c.Type, status, c.Status)
	}
	return answer.with("current", status).with("expected", c.Status)
}
