// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message_test

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

// FuzzRender looks for templates that panic, go on for long, or make much. CI tries the examples alone.
func FuzzRender(f *testing.F) {
	for _, source := range []string{
		"", "{{ .State }}", "{{ .Profile.Current }}", "{{ range $i, $x := .Checks }}{{ $i }}{{ .name }}{{ end }}",
		"{{ range .Node.spec.taints }}{{ range $.Node.spec.taints }}{{ .key }}{{ else }}b{{ end }}{{ end }}",
		`{{ with $x := index .Node "spec" }}{{ len $x | printf "%.2f" }}{{ else with .State }}{{ . }}{{ end }}`,
		`{{ if and (eq .State "a") (not .InMaintenance) }}{{ html .Checks }}{{ break }}{{ end }}`,
		`{{ $x := "a" }}{{ $x = print $x $x | js }}{{ slice $x 1 2 }}{{ (index .Checks "a").name }}`,
		`{{ template "a" }}{{ define "a" }}{{ end }}`, "{{ range 5 }}{{ end }}", `{{ printf "%[1]*d" 5 }}`,
	} {
		f.Add(source, 0)
		f.Add(source, int(message.Slack))
	}
	f.Fuzz(func(t *testing.T, source string, format int) {
		template, err := message.Parse(source, message.Format(format%3))
		if err != nil {
			return
		}
		var text string
		took := cputest.Time(t, func() { text, _ = template.Render(data()) })
		if took > 2*time.Second || len(text) > 4096 || !utf8.ValidString(text) {
			t.Errorf("Render(%q) took %s and made %d bytes, valid: %v", source, took, len(text), utf8.ValidString(text))
		}
	})
}
