// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

type validator interface{ Validate(source string) error }

func TestValidateSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		environment  validator
		source, want string
	}{
		"empty":    {expression.Node, "  ", "must not be empty"},
		"too long": {expression.Name, "'" + strings.Repeat("x", 1024) + "'", "1026 bytes are too long: at most 1024"},
		"unknown variable": {
			expression.Node, "object.a == 1",
			"line 1, column 1: undeclared reference to 'object'; the variables are node",
		},
		"on another line": {
			expression.HTTP, "response.status == 200 &&\n  nodes > 1",
			"line 2, column 3: undeclared reference to 'nodes'; the variables are response, nodeCount",
		},
		"unknown field": {
			expression.HTTP, "response.code == 200", "line 1, column 9: undefined field 'code'",
		},
		"unknown field of the node": {
			expression.Name, "'x' +\n  node.metadata.labls.os",
			"line 2, column 16: node.metadata.labls: there is no field labls, but annotations",
		},
		"unknown field of the node in a loop": {
			expression.Object, "object.items.all(o, o.node == node.metadat.name)",
			"line 1, column 35: node.metadat: there is no field metadat, but apiVersion",
		},
		"unknown function": {
			expression.Node, "matchAll(node, 'x')",
			"line 1, column 9: undeclared reference to 'matchAll'; the variables are node",
		},
		"wrong types": {
			expression.HTTP, "response.status == '200'",
			"line 1, column 17: found no matching overload for '==' applied to '(int, string)'",
		},
		"wrong syntax":   {expression.Node, "node.a = 1", `line 1, column 8: "=" is not allowed here: it is not the syntax of CEL`},
		"ends too early": {expression.Node, "node.a ==", "line 1, column 10: the expression ends too early"},
		"no condition":   {expression.Node, "size(node)", "the value must be true or false, but is of the type int"},
		"a number": {
			expression.Prometheus, "value",
			"has no value with any number: the value must be true or false, but is of the type double; write",
		},
		"an overload that no number has": {
			expression.Prometheus, "value + 1 > 2",
			"has no value with any number: no such overload; write 1.0 instead of 1 to count with it",
		},
		"no name":  {expression.Name, "1", "the value must be a string, but is of the type int"},
		"no patch": {expression.Patch, "'a'", "the value must be a map with strings as keys, but is of the type string"},
		"no keys":  {expression.Patch, "{1: 'a'}", "the value must be a map with strings as keys, but is of the type map(int, dyn)"},
		"wrong regular expression": {
			expression.Node, "node.metadata.name.matches('(')", "line 1, column 28: invalid matches argument",
		},
		"all with all": {
			expression.Objects, "objects.all(a, objects.exists(b, a.metadata.name == b.metadata.name))",
			"would take too long: its estimated cost is",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.environment.Validate(tc.source)
			if !strings.HasPrefix(message(err), tc.want) || err == nil {
				t.Errorf("Validate(%q):\n got %v\nwant %s", tc.source, err, tc.want)
			}
		})
	}
}

// The same text has one program, which many use at the same time.
func TestCompileKeepsPrograms(t *testing.T) {
	t.Parallel()
	first := mustCompile(t, expression.Node, "node.metadata.name == 'kept'")
	if again := mustCompile(t, expression.Node, "node.metadata.name == 'kept'"); again != first {
		t.Error("Compile() made a second program of the same text, want the first one")
	}
	other := mustCompile(t, expression.Object, "node.metadata.name == 'kept'")
	if other == first {
		t.Error("Compile() took the program of another environment")
	}
}
