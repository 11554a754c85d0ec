// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"context"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// nodeExpression asks an expression of CEL about the node.
type nodeExpression struct{ program *expression.Program[bool] }

func newNodeExpression(c *v1beta1.NodeExpressionCheck) (check, error) {
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
