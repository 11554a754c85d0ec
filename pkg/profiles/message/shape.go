// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"text/template/parse"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/shape"
)

// profileShape is that of .Profile, whose fields are only there as .Profile.Current and .Profile.Last.
var profileShape = &shape.Shape{Fields: map[string]*shape.Shape{"Current": shape.Single, "Last": shape.Single}}

// rootShape is that of Data.
var rootShape = &shape.Shape{Fields: map[string]*shape.Shape{
	"Node":           shape.Of[corev1.Node](),
	"Profile":        profileShape,
	"State":          shape.Single,
	"Previous":       shape.Single,
	"InMaintenance":  shape.Single,
	"LastTransition": shape.Single,
	"LogDetails":     shape.Single,
	"Checks": {Map: true, Items: &shape.Shape{Fields: map[string]*shape.Shape{
		"name": shape.Single, "result": shape.Single, "message": shape.Single,
		"info": {Map: true, Items: shape.Single},
	}}},
}}

// shapeOf returns the shape of the value of a pipe, as far as it is a field alone.
func shapeOf(pipe *parse.PipeNode, dot *shape.Shape) *shape.Shape {
	if len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 {
		return nil
	}
	switch n := pipe.Cmds[0].Args[0].(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return valueShape(dot, n.Ident)
	case *parse.VariableNode:
		return variableShape(n)
	default:
		return nil
	}
}

// variableShape knows the shape of $ alone.
func variableShape(n *parse.VariableNode) *shape.Shape {
	if n.Ident[0] != "$" {
		return nil
	}
	return valueShape(rootShape, n.Ident[1:])
}

// valueShape is the shape of the value that a template gets: .Profile alone is a text.
func valueShape(from *shape.Shape, path []string) *shape.Shape {
	found, err := from.At(path...)
	switch {
	case err != nil:
		return nil
	case found == profileShape:
		return shape.Single
	default:
		return found
	}
}
