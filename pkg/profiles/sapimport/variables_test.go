// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"
	"testing"
)

func TestVariables(t *testing.T) {
	variables := environment(map[string]string{"A": "a", "EMPTY": "", "NAME": "A"})
	for name, test := range map[string]struct{ text, want, wantErr string }{
		"none":           {text: "plain", want: "plain"},
		"whole":          {text: "${A}", want: "a"},
		"within":         {text: "x-${A}-y-${A}", want: "x-a-y-a"},
		"empty":          {text: "<${EMPTY}>", want: "<>"},
		"default":        {text: "${NONE:b}", want: "b"},
		"empty default":  {text: "${NONE:}", want: ""},
		"default unused": {text: "${A:b}", want: "a"},
		"default nested": {text: "${NONE:${A}}", want: "a"},
		"name nested":    {text: "${${NAME}}", want: "a"},
		"error unused":   {text: "${A:?must be there}", want: "a"},
		"error":          {text: "${NONE:?must be there}", wantErr: "NONE is not set: must be there"},
		"instead":        {text: "${A:+b}", want: "b"},
		"instead unused": {text: "${NONE:+b}", want: ""},
		"dollars":        {text: "$$5 $5 5$", want: "$5 $5 5$"},
		"escaped":        {text: "$${A}", want: "${A}"},
		"not set":        {text: "${NONE}", wantErr: "the variable NONE is not set: add it to the file that --env-file names"},
		"another key":    {text: "${a.b}", wantErr: "refers to another key of the file"},
		"not closed":     {text: "${A", wantErr: `must end with "}"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := variables.expand(test.text)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("error %v, want %s", err, test.wantErr)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// TestReadings checks which values are reported because the controller has read them as others.
func TestReadings(t *testing.T) {
	const spaced = " x"
	for value, want := range map[string]string{
		"007":      otherwise,
		"0x10":     otherwise,
		"1e3":      otherwise,
		"7":        "",
		"1.5":      "",
		"text":     "",
		"a,b":      "a list",
		"[a]":      "a list or a mapping",
		`"quoted"`: "a text without the quotes",
		spaced:     "a text without the spaces around it",
		"null":     "nothing",
		"yes":      "true",
		"":         "",
	} {
		t.Run(value, func(t *testing.T) {
			result := translated(t, withTrigger("type: alterAnnotation\nconfig: {key: a, value: \"${VALUE}\"}"), func(o *Options) {
				o.Variables = environment(map[string]string{"VALUE": value})
			})
			if got := told(&result.Report); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("report %q, want %q", got, want)
			}
			if got := result.Profiles[0].Spec.Triggers[0].PatchNode.Annotations["a"]; got != value {
				t.Errorf("value %q, want %q", got, value)
			}
		})
	}
}

func TestVariableAsList(t *testing.T) {
	result := translated(t, withCheck("type: waitExclude\nconfig: {duration: 1h, exclude: \"${LIST}\"}"))
	wantSame(t, "wait: {seconds: 3600, excludeWeekdays: [Mon, Tue]}", result.Profiles[0].Spec.Checks[0])
}

func TestParseEnv(t *testing.T) {
	variables, err := ParseEnv("env", []byte("# comment\n\nA=1\r\nB=\"x=y\"\nC=\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"A": "1", "B": `"x=y"`, "C": ""} {
		if got, ok := variables(name); !ok || got != want {
			t.Errorf("%s is %q, %t, want %q", name, got, ok, want)
		}
	}
	if _, ok := variables("D"); ok {
		t.Error("D is set")
	}
	if _, err := ParseEnv("env", []byte("A=1\nB\n")); err == nil || err.Error() != "env:2: must be as in NAME=value" {
		t.Errorf("error %v, want one about line 2", err)
	}
}
