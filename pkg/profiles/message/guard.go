// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"fmt"
	"strings"
	"text/template/parse"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/jsonfields"
)

// guard walks through a template, refuses all that it does not know, and puts its functions into the rest.
type guard struct {
	source string
}

// list checks a list of nodes. The shape is that of the dot.
func (g guard) list(list *parse.ListNode, dot *jsonfields.Shape) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := g.node(node, dot); err != nil {
			return err
		}
	}
	return nil
}

func (g guard) node(node parse.Node, dot *jsonfields.Shape) error {
	switch n := node.(type) {
	case *parse.TextNode, *parse.BreakNode, *parse.ContinueNode:
		return nil
	case *parse.ActionNode:
		return g.action(n, dot)
	case *parse.IfNode:
		return g.branch(&n.BranchNode, dot, dot)
	case *parse.WithNode:
		return g.branch(&n.BranchNode, dot, shapeOf(n.Pipe, dot))
	case *parse.RangeNode:
		return g.loop(n, dot)
	case *parse.TemplateNode:
		return g.refuse(n, "template is not allowed: write the text where it is inserted")
	default:
		return g.refuse(n, "%s is not allowed", n)
	}
}

// action has what it inserts escaped. A declaration or an assignment inserts nothing.
func (g guard) action(n *parse.ActionNode, dot *jsonfields.Shape) error {
	if err := g.pipe(n.Pipe, dot); err != nil {
		return err
	}
	if len(n.Pipe.Decl) == 0 {
		pass(n.Pipe, insertFunction)
	}
	return nil
}

func (g guard) branch(n *parse.BranchNode, dot, inner *jsonfields.Shape) error {
	if err := g.pipe(n.Pipe, dot); err != nil {
		return err
	}
	if err := g.list(n.List, inner); err != nil {
		return err
	}
	return g.list(n.ElseList, dot)
}

// loop has its items counted.
func (g guard) loop(n *parse.RangeNode, dot *jsonfields.Shape) error {
	if !isData(n.Pipe) {
		return g.refuse(n.Pipe, "range goes over data only, such as {{ range .Checks }}")
	}
	if err := g.branch(&n.BranchNode, dot, shapeOf(n.Pipe, dot).Item()); err != nil {
		return err
	}
	pass(n.Pipe, itemsFunction)
	return nil
}

// isData says whether a pipe is a value of the data, or a part of one.
func isData(pipe *parse.PipeNode) bool {
	if len(pipe.Cmds) != 1 {
		return false
	}
	switch first := pipe.Cmds[0].Args[0].(type) {
	case *parse.FieldNode, *parse.VariableNode, *parse.DotNode:
		return true
	case *parse.IdentifierNode:
		return first.Ident == "index"
	default:
		return false
	}
}

// pass hands the value of a pipe to a function.
func pass(pipe *parse.PipeNode, function string) {
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pipe.Pos}
	call.Args = []parse.Node{parse.NewIdentifier(function).SetPos(pipe.Pos)}
	pipe.Cmds = append(pipe.Cmds, call)
}

// refuse says where the template is wrong.
func (g guard) refuse(node parse.Node, format string, args ...any) error {
	before := g.source[:min(int(node.Position()), len(g.source))]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}
