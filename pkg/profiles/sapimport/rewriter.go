// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"reflect"
	"slices"
	"strconv"
	"text/template/parse"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// rewriter changes a template from Go's structures to JSON.
type rewriter struct {
	// variables are the shapes of the variables, with "$".
	variables map[string]shape
	changed   bool
	notes     []note
}

func (r *rewriter) say(outcome Outcome, text string) {
	if n := (note{outcome, text}); !slices.Contains(r.notes, n) {
		r.notes = append(r.notes, n)
	}
}

func (r *rewriter) list(list *parse.ListNode, dot shape) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			r.written(r.pipe(n.Pipe, dot))
		case *parse.IfNode:
			r.pipe(n.Pipe, dot)
			r.branches(&n.BranchNode, dot, dot)
		case *parse.WithNode:
			r.branches(&n.BranchNode, r.pipe(n.Pipe, dot), dot)
		case *parse.RangeNode:
			of := r.pipe(n.Pipe, dot)
			r.loopVariables(n.Pipe, of)
			r.branches(&n.BranchNode, item(of), dot)
		}
	}
}

func (r *rewriter) branches(n *parse.BranchNode, inner, outer shape) {
	r.list(n.List, inner)
	r.list(n.ElseList, outer)
}

// loopVariables sets the shapes of the variables of a loop: the last one is the item.
func (r *rewriter) loopVariables(pipe *parse.PipeNode, of shape) {
	for i, variable := range pipe.Decl {
		r.variables[variable.Ident[0]] = nil
		if i == len(pipe.Decl)-1 {
			r.variables[variable.Ident[0]] = item(of)
		}
	}
}

// written warns of values that look different when they are written.
func (r *rewriter) written(of shape) {
	if of == reflect.TypeFor[time.Time]() {
		r.say(Changed, "times are written as 2006-01-02T15:04:05Z")
	}
}

// pipe returns the shape of the value, as far as it is a field or a variable alone.
func (r *rewriter) pipe(pipe *parse.PipeNode, dot shape) shape {
	var of shape
	for _, command := range pipe.Cmds {
		of = r.command(command, dot, len(pipe.Cmds) == 1)
	}
	for _, variable := range pipe.Decl {
		r.variables[variable.Ident[0]] = of
	}
	return of
}

func (r *rewriter) command(command *parse.CommandNode, dot shape, alone bool) shape {
	comparesState := r.compares(command, dot)
	var of shape
	for _, arg := range command.Args {
		of = r.argument(arg, dot, comparesState)
	}
	if !alone || len(command.Args) > 1 {
		return nil
	}
	return of
}

// compares says whether a command compares the state with something, which is written otherwise here.
func (r *rewriter) compares(command *parse.CommandNode, dot shape) bool {
	name, ok := command.Args[0].(*parse.IdentifierNode)
	if !ok || name.Ident != "eq" && name.Ident != "ne" {
		return false
	}
	return slices.ContainsFunc(command.Args, func(arg parse.Node) bool { return isState(arg, dot) })
}

// isState says whether a value is the state of the profile.
func isState(node parse.Node, dot shape) bool {
	switch n := node.(type) {
	case *parse.FieldNode:
		return dot == rootShape && slices.Equal(n.Ident, []string{"State"})
	case *parse.VariableNode:
		return slices.Equal(n.Ident, []string{"$", "State"})
	default:
		return false
	}
}

func (r *rewriter) argument(arg parse.Node, dot shape, comparesState bool) shape {
	if isState(arg, dot) && !comparesState {
		r.say(Changed, "the state is written as InMaintenance instead of in-maintenance, and the others alike")
	}
	var of shape
	switch n := arg.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		n.Ident, of = r.follow(dot, n.Ident)
	case *parse.VariableNode:
		var rest []string
		rest, of = r.follow(r.variables[n.Ident[0]], n.Ident[1:])
		n.Ident = append(n.Ident[:1:1], rest...)
	case *parse.PipeNode:
		return r.pipe(n, dot)
	case *parse.ChainNode:
		n.Field, of = r.follow(r.argument(n.Node, dot, false), n.Field)
	case *parse.StringNode:
		r.stateName(n, comparesState)
	}
	return of
}

// stateName changes the name of a state that the state is compared with.
func (r *rewriter) stateName(n *parse.StringNode, comparesState bool) {
	if here := sapdata.State(n.Text); comparesState && here != "" {
		n.Text, n.Quoted = string(here), strconv.Quote(string(here))
		r.changed = true
	}
}
