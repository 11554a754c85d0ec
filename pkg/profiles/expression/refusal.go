// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/operators"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// refusal says what is wrong with an expression: the first thing, for the others often follow from it.
func (d *declaration) refusal(source string, issues *cel.Issues) *Error {
	found := issues.Errors()
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i].Location, found[j].Location
		return a.Line() < b.Line() || (a.Line() == b.Line() && a.Column() < b.Column())
	})
	return at(found[0].Location, d.explained(source, found[0]))
}

func (d *declaration) explained(source string, issue *cel.Error) string {
	switch {
	case strings.HasPrefix(issue.Message, "Syntax error"):
		return syntaxError(token.FindString(strings.TrimLeft(rest(source, issue.Location), " \t\r\n")))
	case strings.HasPrefix(issue.Message, "undeclared reference"):
		return readable(issue.Message) + "; the variables are " + strings.Join(d.names(), ", ")
	default:
		return readable(issue.Message)
	}
}

// syntaxError does not list all that might stand at the place instead, as cel-go does.
func syntaxError(found string) string {
	if found == "" {
		return "the expression ends too early"
	}
	return fmt.Sprintf("%q is not allowed here: it is not the syntax of CEL", found)
}

func (d *declaration) names() []string {
	names := make([]string, 0, len(d.variables))
	for _, v := range d.variables {
		names = append(names, v.name)
	}
	return names
}

// operatorName is how cel-go names an operator, such as _==_.
var operatorName = regexp.MustCompile(`'([^' ]*_[^' ]*)'`)

// readable replaces what only cel-go calls so.
func readable(message string) string {
	message = strings.ReplaceAll(message, " (in container '')", "")
	message = operatorName.ReplaceAllStringFunc(message, func(name string) string {
		if sign, ok := operators.FindReverse(strings.Trim(name, "'")); ok && sign != "" {
			return "'" + sign + "'"
		}
		return name
	})
	return quote.Cut(message, quote.MaxMessage)
}
