// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"text/template/parse"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/jsonfields"
)

// profileShape is that of .Profile, whose fields are only there as .Profile.Current and .Profile.Last.
var profileShape = &jsonfields.Shape{Fields: map[string]*jsonfields.Shape{"Current": jsonfields.Single, "Last": jsonfields.Single}}

// rootShape is that of Data.
var rootShape = &jsonfields.Shape{Fields: map[string]*jsonfields.Shape{
	"Node":           jsonfields.Of[corev1.Node](),
	"Profile":        profileShape,
	"State":          jsonfields.Single,
	"Previous":       jsonfields.Single,
	"InMaintenance":  jsonfields.Single,
	"LastTransition": jsonfields.Single,
	"LogDetails":     jsonfields.Single,
	"Checks": {Map: true, Items: &jsonfields.Shape{Fields: map[string]*jsonfields.Shape{
		"name": jsonfields.Single, "result": jsonfields.Single, "message": jsonfields.Single,
		"info": {Map: true, Items: jsonfields.Single},
	}}},
}}

// shapeOf returns the shape of the value of a pipe, as far as it is a field alone.
func shapeOf(pipe *parse.PipeNode, dot *jsonfields.Shape) *jsonfields.Shape {
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
func variableShape(n *parse.VariableNode) *jsonfields.Shape {
	if n.Ident[0] != "$" {
		return nil
	}
	return valueShape(rootShape, n.Ident[1:])
}

// valueShape is the shape of the value that a template gets: .Profile alone is a text.
func valueShape(from *jsonfields.Shape, path []string) *jsonfields.Shape {
	found, err := from.At(path...)
	switch {
	case err != nil:
		return nil
	case found == profileShape:
		return jsonfields.Single
	default:
		return found
	}
}
