// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"regexp"
	"text/template/parse"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/jsonfields"
)

func (g guard) pipe(pipe *parse.PipeNode, dot *jsonfields.Shape) error {
	for _, command := range pipe.Cmds {
		if err := g.command(command, dot); err != nil {
			return err
		}
	}
	return nil
}

func (g guard) command(command *parse.CommandNode, dot *jsonfields.Shape) error {
	for _, arg := range command.Args {
		if err := g.argument(arg, dot); err != nil {
			return err
		}
	}
	if function, ok := command.Args[0].(*parse.IdentifierNode); ok && function.Ident == "printf" {
		return g.printf(command)
	}
	return nil
}

func (g guard) argument(arg parse.Node, dot *jsonfields.Shape) error {
	switch n := arg.(type) {
	case *parse.DotNode, *parse.NilNode, *parse.BoolNode, *parse.NumberNode, *parse.StringNode, *parse.IdentifierNode:
		return nil
	case *parse.FieldNode:
		return g.fields(n, &n.Ident, dot)
	case *parse.VariableNode:
		return g.variable(n)
	case *parse.ChainNode:
		return g.argument(n.Node, dot)
	case *parse.PipeNode:
		return g.pipe(n, dot)
	default:
		return g.refuse(n, "%s is not allowed", n)
	}
}

// variable knows the shape of $ alone.
func (g guard) variable(n *parse.VariableNode) error {
	if n.Ident[0] != "$" {
		return nil
	}
	path := n.Ident[1:]
	err := g.fields(n, &path, rootShape)
	n.Ident = append([]string{"$"}, path...)
	return err
}

// fields refuses fields that do not exist. .Profile is a text; its fields are values of their own.
func (g guard) fields(n parse.Node, path *[]string, from *jsonfields.Shape) error {
	if _, err := from.At(*path...); err != nil {
		return g.refuse(n, "%v", err)
	}
	if from == rootShape && len(*path) > 1 && (*path)[0] == "Profile" {
		*path = []string{"Profile" + (*path)[1]}
	}
	return nil
}

// verb is a verb of a format, with its width and its precision.
var verb = regexp.MustCompile(`%[-+# 0]*([0-9*\[\]]*)(?:\.([0-9*\[\]]*))?[^0-9]?`)

// printf refuses formats that pad: a width of a billion is a text of a gigabyte.
func (g guard) printf(command *parse.CommandNode) error {
	if len(command.Args) < 2 {
		return g.refuse(command, "printf needs its format first, in quotes")
	}
	format, ok := command.Args[1].(*parse.StringNode)
	if !ok {
		return g.refuse(command, "the format of printf must be in quotes, so that it can be checked")
	}
	for _, found := range verb.FindAllStringSubmatch(format.Text, -1) {
		if width, precision := found[1], found[2]; width != "" || len(precision) > 1 || precision == "*" {
			return g.refuse(format, "%q in the format of printf is not allowed: write it without a width, and with"+
				" at most one digit after the point, such as %%s or %%.2f", found[0])
		}
	}
	return nil
}
