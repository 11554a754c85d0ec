// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"

	"github.com/google/cel-go/cel"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Input is what an expression is evaluated with. Which of its fields count depends on the environment.
type Input struct {
	// Node is the node, as NodeValue makes it.
	Node map[string]any
	// Object is an object, as JSON: numbers are int64 or float64.
	Object map[string]any
	// Objects are such objects.
	Objects []map[string]any
	// Response is the answer of an HTTP server.
	Response Response
	// NodeCount is how many nodes the cluster has.
	NodeCount int
	// Value is the number that Prometheus has answered.
	Value float64

	// Budget is what this evaluation may use together with others; nil if it is alone.
	Budget *Budget
}

// Response is the answer of an HTTP server.
type Response struct {
	// Status is the status code, such as 200.
	Status int
	// Headers are the headers. Their names are in lower case, and several values are joined with ", ".
	Headers map[string]string
	// Body is the whole body.
	Body string
}

// NodeValue makes a value for expressions and templates of a node: a copy, as JSON has it.
func NodeValue(node *corev1.Node) (map[string]any, error) {
	value, err := runtime.DefaultUnstructuredConverter.ToUnstructured(node)
	if err != nil {
		return nil, fmt.Errorf("the node cannot be read: %w", err)
	}
	return value, nil
}

var (
	nodeVariable      = variable{"node", cel.DynType, func(in Input) any { return in.Node }}
	objectVariable    = variable{"object", cel.DynType, func(in Input) any { return in.Object }}
	objectsVariable   = variable{"objects", cel.ListType(cel.DynType), func(in Input) any { return in.Objects }}
	nodeCountVariable = variable{"nodeCount", cel.IntType, func(in Input) any { return in.NodeCount }}
	// The type is not known, so that "value == 1" is a comparison of numbers, and no error.
	valueVariable    = variable{"value", cel.DynType, func(in Input) any { return in.Value }}
	responseVariable = variable{"response", cel.ObjectType(responseTypeName), responseValue}
)

// activation gives CEL the variables.
func (d *declaration) activation(in Input) map[string]any {
	values := make(map[string]any, len(d.variables)+1)
	values[usageVariable] = &usage{shared: in.Budget}
	for _, v := range d.variables {
		values[v.name] = v.of(in)
	}
	return values
}
