// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// grammar says what a chain may have.
const grammar = `a chain has names of checks, && (and), || (or), ! (not) and parentheses, such as "a && !(b || c)"`

// hints say what to write instead of something that other languages have.
var hints = map[string]string{
	"and": `write "a && b"`, "AND": `write "a && b"`, "&": `write "a && b"`, ",": `write "a && b" or "a || b"`,
	"or": `write "a || b"`, "OR": `write "a || b"`, "|": `write "a || b"`,
	"not": `write "!a"`, "NOT": `write "!a"`,
	"-":    `a name has letters, digits and "_" only`,
	".":    `a name has letters, digits and "_" only`,
	"true": `leave it out`, "false": `leave it out`,
	"==": `write "a" or "!a"`, "!=": `write "a" or "!a"`,
	"?": `write "a && b || !a && c"`, ":": `write "a && b || !a && c"`,
}

// token is what a message shows of the place where a chain is wrong: a word, or a sign.
var token = regexp.MustCompile(`^(?:[\pL\pN_]+|&&|\|\||[=!<>]=|"[^"]*"|'[^']*'|.)`)

// notAChain says what is wrong at a place of a chain. It looks at the text itself: what cel-go says would list all that
// CEL allows.
func notAChain(source string, checks []string, place common.Location) *Error {
	found := token.FindString(strings.TrimLeft(rest(source, place), " \t\r\n"))
	switch {
	case place.Line() < 1 || place.Column() < 0:
		return &Error{Message: "cannot be parsed: it may have too many parentheses; " + grammar}
	case found == "":
		return at(place, `the chain ends too early: a check or a ")" is missing; `+grammar)
	case hints[found] != "":
		return at(place, fmt.Sprintf("%q is not allowed here: %s; %s", found, hints[found], grammar))
	case slices.Contains(checks, found):
		return at(place, fmt.Sprintf("%q is not allowed here: write && or || before it; %s", found, grammar))
	default:
		return at(place, fmt.Sprintf("%q is not allowed here; %s", found, grammar))
	}
}

// rest returns the text from a place on.
func rest(source string, place common.Location) string {
	lines := strings.Split(source, "\n")
	if place.Line() < 1 || place.Line() > len(lines) || place.Column() < 0 {
		return ""
	}
	line := []rune(lines[place.Line()-1])
	after := strings.Join(lines[place.Line():], "\n")
	return string(line[min(place.Column(), len(line)):]) + "\n" + after
}

func unknownCheck(name string, checks []string) string {
	if len(checks) == 0 {
		return fmt.Sprintf("unknown check %q: the profile has no checks", name)
	}
	return fmt.Sprintf("unknown check %q: the profile has %s", name, quote.Names(checks, 10))
}
