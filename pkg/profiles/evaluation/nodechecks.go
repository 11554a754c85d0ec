// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// nodeAnnotation asks for an annotation of the node.
type nodeAnnotation struct{ *v1beta1.KeyValueCheck }

func (c nodeAnnotation) needs() Needs { return Needs{Annotations: []string{c.Key}} }

func (c nodeAnnotation) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	return hasValue("annotation", q.Node.Annotations, c.KeyValueCheck)
}

// nodeLabel asks for a label of the node.
type nodeLabel struct{ *v1beta1.KeyValueCheck }

func (c nodeLabel) needs() Needs { return Needs{Labels: []string{c.Key}} }

func (c nodeLabel) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	return hasValue("label", q.Node.Labels, c.KeyValueCheck)
}

// hasValue says whether a map has a key, with the value unless any will do.
func hasValue(what string, values map[string]string, c *v1beta1.KeyValueCheck) CheckResult {
	value, found := values[c.Key]
	switch {
	case !found:
		return is(false, "%s %s is not set", what, c.Key)
	case c.Value != nil && value != *c.Value:
		return is(false, "%s %s is %s, not %s", what, c.Key, quoted(value), quoted(*c.Value))
	}
	return is(true, "%s %s is %s", what, c.Key, quoted(value))
}

// nodeCondition asks for a condition of the node.
type nodeCondition struct{ *v1beta1.NodeConditionCheck }

func (c nodeCondition) needs() Needs { return Needs{Conditions: []string{c.Type}} }

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

// nodeExpression asks an expression of CEL about the node.
type nodeExpression struct{ program *expression.Program[bool] }

func newNodeExpression(c *v1beta1.NodeExpressionCheck) (asker, error) {
	program, err := expression.Node.Compile(c.Expression)
	if err != nil {
		return nil, err
	}
	return nodeExpression{program}, nil
}

func (c nodeExpression) ask(q question) CheckResult {
	if q.Node == nil {
		return noNode(q)
	}
	node, err := q.nodeValue()
	if err != nil {
		return failed("%v", err)
	}
	// It ends by itself.
	passes, err := c.program.Evaluate(context.Background(), expression.Input{Node: node, Budget: q.budget})
	if err != nil {
		return failed("the expression has no value: %v", err)
	}
	return is(passes, "the expression is %t", passes)
}
