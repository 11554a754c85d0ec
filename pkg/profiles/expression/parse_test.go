// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// What the SAP maintenance-controller says of a chain while t is true, and u and s are false.
const (
	sapTrue   = "true"
	sapFalse  = "false"
	sapRefuse = "refused"
)

// The chains with which the SAP maintenance-controller was tried. We accept what it accepts, with the same result, and
// also what differs in white space alone: nobody can mean anything else by it.
func TestParseTakesTheChainsOfSAP(t *testing.T) {
	t.Parallel()
	results := of(map[string]expression.Result{"t": v1beta1.CheckTrue, "u": v1beta1.CheckFalse, "s": v1beta1.CheckFalse})
	for name, tc := range map[string]struct {
		chain, sap string
		// want is our result; empty: as SAP's.
		want expression.Result
	}{
		"and":                        {chain: "t && u", sap: sapFalse},
		"no space after and":         {chain: "t &&u", sap: sapFalse},
		"spaces around":              {chain: "  t  ", sap: sapTrue},
		"parentheses twice":          {chain: "((t))", sap: sapTrue},
		"not twice":                  {chain: "!!t", sap: sapTrue},
		"space after not":            {chain: "! t", sap: sapFalse},
		"not of a group":             {chain: "!(t || u)", sap: sapFalse},
		"and binds tighter than or":  {chain: "t || u && s", sap: sapTrue},
		"no spaces":                  {chain: "t&&u", sap: sapRefuse, want: v1beta1.CheckFalse},
		"line break":                 {chain: "t\n&& u", sap: sapRefuse, want: v1beta1.CheckFalse},
		"tab":                        {chain: "t\t&& u", sap: sapRefuse, want: v1beta1.CheckFalse},
		"comment":                    {chain: "t // the node is idle\n|| u", sap: sapRefuse, want: v1beta1.CheckTrue},
		"the word and":               {chain: "t and u", sap: sapRefuse},
		"comparison":                 {chain: "t == u", sap: sapRefuse},
		"conditional":                {chain: "t ? u : s", sap: sapRefuse},
		"literal":                    {chain: "true", sap: sapRefuse},
		"comma":                      {chain: "t, u", sap: sapRefuse},
		"one ampersand":              {chain: "t &", sap: sapRefuse},
		"capital letter":             {chain: "T", sap: sapRefuse},
		"unknown check":              {chain: "t && nope", sap: sapRefuse},
		"open parenthesis":           {chain: "t && (u", sap: sapRefuse},
		"no operator":                {chain: "t u", sap: sapRefuse},
		"and twice":                  {chain: "t && && u", sap: sapRefuse},
		"empty parentheses":          {chain: "()", sap: sapRefuse},
		"and alone":                  {chain: "&&", sap: sapRefuse},
		"empty":                      {chain: "", sap: sapRefuse},
		"minus":                      {chain: "t-u", sap: sapRefuse},
		"dot":                        {chain: "t.u", sap: sapRefuse},
		"digit at the beginning":     {chain: "1t", sap: sapRefuse},
		"literal of a name of SAP's": {chain: "nil", sap: sapRefuse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := tc.want
			if tc.sap != sapRefuse {
				want = map[string]expression.Result{sapTrue: v1beta1.CheckTrue, sapFalse: v1beta1.CheckFalse}[tc.sap]
			}
			chain, err := expression.Parse(tc.chain, []string{"t", "u", "s"})
			if want == "" {
				if err == nil {
					t.Fatalf("Parse(%q) = %v, want an error", tc.chain, chain.Names())
				}
				return
			}
			if err != nil {
				t.Fatalf("Parse(%q): %v", tc.chain, err)
			}
			if got, _ := chain.Evaluate(results); got != want {
				t.Errorf("Evaluate(%q) = %s, want %s", tc.chain, got, want)
			}
		})
	}
}

func TestParseSaysWhatWouldBeRight(t *testing.T) {
	t.Parallel()
	const grammar = `a chain has names of checks, && (and), || (or), ! (not) and parentheses, such as "a && !(b || c)"`
	for name, tc := range map[string]struct{ chain, want string }{
		"unknown check":    {"a && nope", `line 1, column 6: unknown check "nope": the profile has a, b`},
		"on another line":  {"a\n  && nope", `line 2, column 6: unknown check "nope": the profile has a, b`},
		"after an umlaut":  {"a // für\n&& nope", `line 2, column 4: unknown check "nope": the profile has a, b`},
		"the word and":     {"a and b", `line 1, column 3: "and" is not allowed here: write "a && b"; ` + grammar},
		"the word or":      {"a or b", `line 1, column 3: "or" is not allowed here: write "a || b"; ` + grammar},
		"the word not":     {"not a", `line 1, column 5: "a" is not allowed here: write && or || before it; ` + grammar},
		"one ampersand":    {"a & b", `line 1, column 3: "&" is not allowed here: write "a && b"; ` + grammar},
		"one bar":          {"a | b", `line 1, column 3: "|" is not allowed here: write "a || b"; ` + grammar},
		"comma":            {"a, b", `line 1, column 2: "," is not allowed here: write "a && b" or "a || b"; ` + grammar},
		"comparison":       {"a == b", `line 1, column 3: "==" is not allowed here: write "a" or "!a"; ` + grammar},
		"with true":        {"a == true", `line 1, column 3: "==" is not allowed here: write "a" or "!a"; ` + grammar},
		"minus":            {"a-b", `line 1, column 2: "-" is not allowed here: a name has letters, digits and "_" only; ` + grammar},
		"dot":              {"a.b", `line 1, column 2: "." is not allowed here: a name has letters, digits and "_" only; ` + grammar},
		"leading dot":      {".a", `line 1, column 2: unknown check ".a": the profile has a, b`},
		"true alone":       {"true", `line 1, column 1: "true" is not allowed here: leave it out; ` + grammar},
		"true in a chain":  {"a || true", `line 1, column 6: "true" is not allowed here: leave it out; ` + grammar},
		"number":           {"1", `line 1, column 1: "1" is not allowed here; ` + grammar},
		"text":             {"'a'", `line 1, column 1: "'a'" is not allowed here; ` + grammar},
		"null":             {"null", `line 1, column 1: "null" is not allowed here; ` + grammar},
		"list":             {"[a]", `line 1, column 1: "[" is not allowed here; ` + grammar},
		"map":              {"{a: b}", `line 1, column 1: "{" is not allowed here; ` + grammar},
		"call":             {"a(b)", `line 1, column 2: "(" is not allowed here; ` + grammar},
		"macro":            {"has(a)", `line 1, column 4: "(" is not allowed here; ` + grammar},
		"in":               {"a in b", `line 1, column 3: "in" is not allowed here; ` + grammar},
		"conditional":      {"a ? b : a", `line 1, column 3: "?" is not allowed here: write "a && b || !a && c"; ` + grammar},
		"reserved word":    {"a && if", `line 1, column 6: "if" is not allowed here; ` + grammar},
		"two names":        {"a b", `line 1, column 3: "b" is not allowed here: write && or || before it; ` + grammar},
		"ends too early":   {"a &&", `line 1, column 5: the chain ends too early: a check or a ")" is missing; ` + grammar},
		"open parenthesis": {"a && (b", `line 1, column 8: the chain ends too early: a check or a ")" is missing; ` + grammar},
		"empty":            {" \n ", `must not be empty`},
		"too long":         {strings.Repeat("a||", 1400) + "a", `4201 bytes are too long: at most 4096`},
		"too deep": {
			strings.Repeat("(", 300) + "a" + strings.Repeat(")", 300),
			"cannot be parsed: it may have too many parentheses; " + grammar,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := expression.Parse(tc.chain, []string{"a", "b"})
			if err == nil {
				t.Fatalf("Parse(%q) succeeded, want an error", tc.chain)
			}
			if got := err.Error(); got != tc.want {
				t.Errorf("Parse(%q):\n got %s\nwant %s", tc.chain, got, tc.want)
			}
		})
	}
}

func TestParseOfAProfileWithoutChecks(t *testing.T) {
	t.Parallel()
	_, err := expression.Parse("a", nil)
	if want := `line 1, column 1: unknown check "a": the profile has no checks`; err == nil || err.Error() != want {
		t.Errorf("Parse() = %v, want %s", err, want)
	}
}

// Each word that CEL has reserved is one that no chain can have, and no other word is.
func TestReserved(t *testing.T) {
	t.Parallel()
	words := strings.Fields("as break const continue else false for function if import in let loop namespace null package" +
		" return true var void while int size has type all nil _ matches a1 True dyn map undefined")
	for _, word := range words {
		_, err := expression.Parse("!"+word, []string{word})
		if got, want := expression.Reserved(word), err != nil; got != want {
			t.Errorf("Reserved(%q) = %v, want %v, since Parse says: %v", word, got, want, err)
		}
	}
}

func of(results map[string]expression.Result) expression.Results {
	return func(name string) expression.Result { return results[name] }
}
