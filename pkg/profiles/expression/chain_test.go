// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// The names of checks begin with the letter of their results.
func resultOf(name string) expression.Result {
	switch name[0] {
	case 't':
		return v1beta1.CheckTrue
	case 'f':
		return v1beta1.CheckFalse
	case 'e':
		return v1beta1.CheckError
	case 'u':
		return v1beta1.CheckUnknown
	default:
		return "Maybe" // what only a newer version knows
	}
}

var checks = []string{"t", "t1", "t2", "f", "f1", "f2", "e", "e1", "u", "u1", "newer"}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	for chain, tc := range map[string]struct {
		want         expression.Result
		wantDecisive string
		wantWants    string
	}{
		"t":                   {want: v1beta1.CheckTrue, wantDecisive: "t"},
		"!t":                  {want: v1beta1.CheckFalse, wantDecisive: "t"},
		"!!f":                 {want: v1beta1.CheckFalse, wantDecisive: "f"},
		"!e":                  {want: v1beta1.CheckError, wantDecisive: "e", wantWants: "e"},
		"!u":                  {want: v1beta1.CheckUnknown, wantDecisive: "u", wantWants: "u"},
		"newer":               {want: v1beta1.CheckUnknown, wantDecisive: "newer", wantWants: "newer"},
		"t && t1":             {want: v1beta1.CheckTrue, wantDecisive: "t t1"},
		"t && t1 && t":        {want: v1beta1.CheckTrue, wantDecisive: "t t1"},
		"t && f && f1":        {want: v1beta1.CheckFalse, wantDecisive: "f"},
		"t && e":              {want: v1beta1.CheckError, wantDecisive: "e", wantWants: "e"},
		"f && e":              {want: v1beta1.CheckFalse, wantDecisive: "f"},
		"e && f":              {want: v1beta1.CheckFalse, wantDecisive: "f"},
		"u && e && t":         {want: v1beta1.CheckError, wantDecisive: "e", wantWants: "u e"},
		"t && u && u1":        {want: v1beta1.CheckUnknown, wantDecisive: "u u1", wantWants: "u u1"},
		"f || f1":             {want: v1beta1.CheckFalse, wantDecisive: "f f1"},
		"t || e":              {want: v1beta1.CheckTrue, wantDecisive: "t"},
		"e || t || t1":        {want: v1beta1.CheckTrue, wantDecisive: "t"},
		"e || u || f":         {want: v1beta1.CheckError, wantDecisive: "e", wantWants: "e u"},
		"t && !(f || f1)":     {want: v1beta1.CheckTrue, wantDecisive: "t f f1"},
		"(f && u) || u1":      {want: v1beta1.CheckUnknown, wantDecisive: "u1", wantWants: "u1"},
		"(u || t) && e1":      {want: v1beta1.CheckError, wantDecisive: "e1", wantWants: "e1"},
		"!(e && f) && t":      {want: v1beta1.CheckTrue, wantDecisive: "f t"},
		"(e && f) || e1 || e": {want: v1beta1.CheckError, wantDecisive: "e e1", wantWants: "e e1"},
	} {
		t.Run(chain, func(t *testing.T) {
			t.Parallel()
			parsed := mustParse(t, chain, checks)
			got, decisive := parsed.Evaluate(resultOf)
			if joined := strings.Join(decisive, " "); got != tc.want || joined != tc.wantDecisive {
				t.Errorf("Evaluate() = %s by %q, want %s by %q", got, joined, tc.want, tc.wantDecisive)
			}
			if wants := strings.Join(parsed.Wants(resultOf), " "); wants != tc.wantWants {
				t.Errorf("Wants() = %q, want %q", wants, tc.wantWants)
			}
		})
	}
}

func TestEvaluateSparing(t *testing.T) {
	t.Parallel()
	for chain, want := range map[string]string{
		"t || t1":                 "t1",    // although t comes first
		"t1 || t":                 "t1",    //
		"t && t1":                 "t t1",  // it is needed
		"t":                       "t",     //
		"t || t2":                 "t2",    // one of two is enough
		"t || f":                  "t",     //
		"f || (t && e) || t":      "t",     //
		"!t || t1":                "t1",    // it would be true without its result
		"(t && t1) || (t1 && t2)": "t1 t2", //
		"f && t":                  "f",     //
		"e && t":                  "e",     // nothing is decided
	} {
		t.Run(chain, func(t *testing.T) {
			t.Parallel()
			costs := func(name string) bool { return name == "t" || name == "t2" }
			parsed := mustParse(t, chain, checks)
			wantResult, _ := parsed.Evaluate(resultOf)
			got, decisive := parsed.EvaluateSparing(resultOf, costs)
			if joined := strings.Join(decisive, " "); got != wantResult || joined != want {
				t.Errorf("EvaluateSparing() = %s by %q, want %s by %q", got, joined, wantResult, want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	chain := mustParse(t, "u && (t || !f) && t", checks)
	if got, want := chain.Names(), []string{"u", "t", "f"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %v, want %v", got, want)
	}
	chain.Names()[0] = "changed"
	if got, want := chain.Names()[0], "u"; got != want {
		t.Errorf("Names()[0] = %s after the caller has changed its copy, want %s", got, want)
	}
}

func mustParse(t *testing.T, source string, names []string) *expression.Chain {
	t.Helper()
	chain, err := expression.Parse(source, names)
	if err != nil {
		t.Fatalf("Parse(%q): %v", source, err)
	}
	return chain
}
