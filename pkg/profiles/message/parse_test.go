// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message_test

import (
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ source, want string }{
		"too long":            {strings.Repeat("x", 8193), "8193 bytes are too long: at most 8192"},
		"open action":         {"a\n{{ .Foo", "line 2: unclosed action"},
		"unknown field":       {"a\nb {{ .Foo }}", "line 2, column 6: .Foo: there is no field Foo, but Checks, InMaintenance,"},
		"unknown in if":       {"{{ if .Foo }}a{{ end }}", "line 1, column 7: .Foo: there is no field Foo"},
		"unknown as argument": {`{{ eq .Foo "a" }}`, "line 1, column 7: .Foo: there is no field Foo"},
		"unknown with $":      {"{{ range .Checks }}{{ $.Foo }}{{ end }}", "line 1, column 24: .Foo: there is no field Foo"},
		"field of a text":     {"{{ .State.Foo }}", "line 1, column 10: .State.Foo: a single value has no field Foo"},
		"Go's field of Node":  {"{{ .Node.Name }}", "line 1, column 9: .Node.Name: there is no field Name, but apiVersion"},
		"wrong field of Node": {"{{ .Node.metadata.nam }}", "line 1, column 9: .Node.metadata.nam: there is no field nam"},
		"field of a list":     {"{{ .Node.spec.taints.key }}", "line 1, column 9: .Node.spec.taints.key: a list has no field key"},
		"field in a loop":     {"{{ range .Node.spec.taints }}{{ .ke }}{{ end }}", "line 1, column 33: .ke: there is no field ke"},
		"field of a check":    {"{{ .Checks.a.msg }}", "line 1, column 11: .Checks.a.msg: there is no field msg, but info, message"},
		"field with":          {"{{ with .Profile }}{{ .Current }}{{ end }}", "line 1, column 23: .Current: a single value has no"},
		"wrong profile":       {"{{ .Profile.Next }}", "line 1, column 12: .Profile.Next: there is no field Next, but Current, Last"},
		"our own field":       {"{{ .ProfileCurrent }}", "line 1, column 4: .ProfileCurrent: there is no field"},
		"define":              {`{{ define "a" }}b{{ end }}`, "define and block are not allowed: write the text where it"},
		"define itself":       {`{{ define "message" }}b{{ end }}`, "define and block are not allowed"},
		"block":               {`{{ block "a" . }}b{{ end }}`, "line 1, column 9: template is not allowed|define and block are"},
		"template":            {`{{ template "message" . }}`, "line 1, column 13: template is not allowed"},
		"call":                {"{{ call .State }}", `line 1: function "call" not defined`},
		"our own function":    {"{{ insert .State }}", `line 1: function "insert" not defined`},
		"loop of a number":    {"{{ range 100000000000 }}a{{ end }}", "line 1, column 10: range goes over data only"},
		"loop of a text":      {`{{ range "abc" }}a{{ end }}`, "line 1, column 10: range goes over data only"},
		"loop of a function":  {"{{ range len .State }}a{{ end }}", "line 1, column 10: range goes over data only"},
		"loop of a pipe":      {"{{ range .State | len }}a{{ end }}", "line 1, column 10: range goes over data only"},
		"loop of parentheses": {"{{ range (len .State) }}a{{ end }}", "line 1, column 10: range goes over data only"},
		"wide printf":         {`{{ printf "%1000000000d" 1 }}`, `line 1, column 11: "%1000000000d" in the format of printf`},
		"flags and width":     {`{{ printf "%-09d" 1 }}`, `line 1, column 11: "%-09d" in the format of printf`},
		"width as argument":   {`{{ printf "%*d" 1000000000 1 }}`, `line 1, column 11: "%*d" in the format of printf`},
		"numbered argument":   {`{{ printf "%[2]*[1]d" 1 2 }}`, `line 1, column 11: "%[2]*[1]d" in the format of printf`},
		"long precision":      {`{{ printf "%.1000000f" 1.0 }}`, `line 1, column 11: "%.1000000f" in the format of printf`},
		"precision argument":  {`{{ printf "%.*f" 1000000 1.0 }}`, `line 1, column 11: "%.*f" in the format of printf`},
		"format from data":    {`{{ printf .State }}`, "line 1, column 4: the format of printf must be in quotes"},
		"format in a pipe":    {`{{ "%5d" | printf }}`, "line 1, column 12: printf needs its format first, in quotes"},
		"format in a variable": {
			`{{ $f := "%5d" }}{{ printf $f 1 }}`, "line 1, column 21: the format of printf must be in quotes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := message.Parse(tc.source, message.Plain)
			if err == nil || !startsWithOne(err.Error(), tc.want) {
				t.Errorf("Parse(%q):\n got %v\nwant %s", tc.source, err, tc.want)
			}
		})
	}
}

// startsWithOne says whether a text starts with one of several, with a bar between them.
func startsWithOne(text, starts string) bool {
	for start := range strings.SplitSeq(starts, "|") {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
