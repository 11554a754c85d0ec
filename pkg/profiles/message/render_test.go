// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

func data() message.Data {
	return message.Data{
		Node: map[string]any{
			"metadata": map[string]any{
				"name": "worker-1", "generation": int64(3000000000),
				"labels": map[string]any{"os": "flatcar", "evil": "<!channel> & <http://a|b>"},
			},
			"spec": map[string]any{"taints": []any{map[string]any{"key": "k"}, map[string]any{"key": "l"}}},
		},
		Profile: "flatcar", LastProfile: "esx", State: v1beta1.ProfileInMaintenance, Previous: v1beta1.ProfileMaintenanceRequired,
		InMaintenance: true, LastTransition: time.Date(2026, 11, 20, 23, 0, 0, 0, time.FixedZone("", 3600)),
		Checks: []v1beta1.CheckStatus{
			{Name: "free", Result: v1beta1.CheckFalse, Message: "3 of 3", Info: map[string]string{"max": "3"}},
			{Name: "approved", Result: v1beta1.CheckTrue, Message: "by <root>"},
		},
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		source, want string
		format       message.Format
	}{
		"text":              {source: "a\nb", want: "a\nb"},
		"empty":             {},
		"name":              {source: "{{ .Node.metadata.name }} is {{ .State }}", want: "worker-1 is InMaintenance"},
		"profile":           {source: "{{ .Profile }}", want: "flatcar"},
		"current and last":  {source: "{{ .Profile.Current }} after {{ .Profile.Last }}", want: "flatcar after esx"},
		"states":            {source: "{{ .Previous }} to {{ .State }}", want: "MaintenanceRequired to InMaintenance"},
		"current with $":    {source: "{{ range .Checks }}{{ $.Profile.Last }} {{ end }}", want: "esx esx "},
		"profile compared":  {source: `{{ if eq .Profile "flatcar" }}yes{{ end }}`, want: "yes"},
		"profile in printf": {source: `{{ printf "%s/%q" .Profile .Profile.Last }}`, want: `flatcar/"esx"`},
		"length of profile": {source: `{{ len .Profile }}{{ slice .Profile 0 4 }}`, want: `7flat`},
		"with profile":      {source: `{{ with .Profile }}{{ . }}{{ end }}`, want: "flatcar"},
		"moment":            {source: "{{ .LastTransition }}", want: "2026-11-20T22:00:00Z"},
		"bools":             {source: "{{ .InMaintenance }} {{ .LogDetails }}", want: "true false"},
		"label":             {source: `{{ index .Node.metadata.labels "os" }} {{ .Node.metadata.labels.os }}`, want: "flatcar flatcar"},
		"no label":          {source: `[{{ .Node.metadata.labels.none }}{{ index .Node.metadata.labels "none" }}]`, want: "[]"},
		"no field":          {source: `[{{ .Node.spec.providerID }}{{ with .Node.spec.configSource }}x{{ end }}]`, want: "[]"},
		"number":            {source: "{{ .Node.metadata.generation }}", want: "3000000000"},
		"loop":              {source: "{{ range .Node.spec.taints }}{{ .key }} {{ end }}", want: "k l "},
		"loop over none":    {source: "{{ range .Node.status.images }}x{{ else }}none{{ end }}", want: "none"},
		"loop with break":   {source: "{{ range $i, $x := .Node.spec.taints }}{{ if $i }}{{ break }}{{ end }}{{ $x.key }}{{ end }}", want: "k"},
		"loop over index":   {source: `{{ range index .Node.spec "taints" }}{{ .key }}{{ end }}`, want: "kl"},
		"checks": {
			source: "{{ range .Checks }}{{ .name }} is {{ .result }}: {{ .message }}\n{{ end }}",
			want:   "approved is True: by <root>\nfree is False: 3 of 3\n",
		},
		"check not there":  {source: "[{{ .Checks.none.message }}]", want: "[]"},
		"one check":        {source: "{{ .Checks.free.message }} {{ .Checks.free.info.max }}", want: "3 of 3 3"},
		"variable":         {source: `{{ $x := .State }}{{ $x = print $x "!" }}{{ $x }}`, want: "InMaintenance!"},
		"precision":        {source: `{{ printf "%.2f%% %%5d" 1.234 }}`, want: "1.23% %5d"},
		"comment":          {source: "a{{/* why */}}b", want: "ab"},
		"Slack":            {format: message.Slack, source: "<http://x|see> {{ .Node.metadata.labels.evil }}", want: "<http://x|see> &lt;!channel&gt; &amp; &lt;http://a|b&gt;"},
		"Slack, in a loop": {format: message.Slack, source: "{{ range .Checks }}{{ .message }} {{ end }}", want: "by &lt;root&gt; 3 of 3 "},
		"Slack, printf":    {format: message.Slack, source: `{{ printf "%s" .Node.metadata.labels.evil }}`, want: "&lt;!channel&gt; &amp; &lt;http://a|b&gt;"},
		"Slack, variable":  {format: message.Slack, source: `{{ $x := .Checks.approved.message }}{{ $x }}`, want: "by &lt;root&gt;"},
		"mail":             {source: "{{ .Node.metadata.labels.evil }}", want: "<!channel> & <http://a|b>"},
		"subject":          {format: message.Line, source: "a\r\nBcc: b\nc\u2028d {{ .Profile }}\n", want: "a Bcc: b c d flatcar"},
		"link":             {source: `http://x?q={{ urlquery .Node.metadata.labels.evil }}`, want: "http://x?q=%3C%21channel%3E+%26+%3Chttp%3A%2F%2Fa%7Cb%3E"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mustParse(t, tc.source, tc.format).Render(data())
			if err != nil || got != tc.want {
				t.Errorf("Render(%q) = %q, %v, want %q", tc.source, got, err, tc.want)
			}
		})
	}
}

// What a template has said before it failed is sent, and that it failed.
func TestRenderSaysWhatItCould(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ source, want string }{
		"item that is not there": {
			"state {{ .State }}\n{{ index .Node.spec.taints 7 }}",
			"state InMaintenance\n [the rest is missing: line 2: <index .Node.spec.taints 7>: error calling index:" +
				" index out of range: 7]",
		},
		"loop of a number": {
			"{{ range .Node.metadata.generation }}a{{ end }}",
			" [the rest is missing: line 1: range goes over lists and maps, not over a int64]",
		},
		"loop of a number in a variable": {
			"{{ $x := 1000000000 }}{{ range $x }}a{{ end }}",
			" [the rest is missing: line 1: range goes over lists and maps, not over a int]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mustParse(t, tc.source, message.Plain).Render(data())
			if got != tc.want || err == nil || !strings.Contains(got, err.Error()) {
				t.Errorf("Render(%q):\n got %q, %v\nwant %q", tc.source, got, err, tc.want)
			}
		})
	}
}

func TestRenderCutsLongTexts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		source   string
		wantSize int
	}{
		"as long as may be":    {strings.Repeat("x", 4096), 4096},
		"a byte more":          {strings.Repeat("x", 4097), 4096},
		"much more":            {strings.Repeat("x", 8192), 4096},
		"between two runes":    {strings.Repeat("€", 2000), 4095},
		"by a value":           {`{{ $x := "` + strings.Repeat("x", 3000) + `" }}{{ $x }}{{ $x }}`, 4096},
		"by a value made long": {`{{ $x := "` + strings.Repeat("x", 3000) + `" }}{{ print $x $x }}`, 4096},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mustParse(t, tc.source, message.Plain).Render(data())
			if err != nil || len(got) != tc.wantSize || !utf8.ValidString(got) {
				t.Errorf("Render() made %d bytes, valid: %v, %v, want %d valid ones", len(got), utf8.ValidString(got), err, tc.wantSize)
			}
			if wantMark := len(tc.source) > 4096 || name[:2] == "by"; strings.HasSuffix(got, "...") != wantMark {
				t.Errorf("Render() ends with %q, want a mark: %v", got[len(got)-4:], wantMark)
			}
		})
	}
}

// Slack's escapes make a text longer: it is still cut, and not within an escape's text only.
func TestRenderCutsEscapedTexts(t *testing.T) {
	t.Parallel()
	d := data()
	d.Profile = strings.Repeat("&", 4000)
	got, err := mustParse(t, "{{ .Profile }}", message.Slack).Render(d)
	if err != nil || len(got) > 4096 {
		t.Errorf("Render() made %d bytes, %v, want at most 4096", len(got), err)
	}
}

// Templates that would go on for long, or make much, end soon. Not in parallel, since cputest counts all work.
func TestRenderEndsSoon(t *testing.T) {
	d := data()
	var many []any
	for range 900 {
		many = append(many, strings.Repeat("x", 100))
	}
	d.Node["spec"].(map[string]any)["taints"] = many
	loop := "{{ range $.Node.spec.taints }}"
	for name, source := range map[string]string{
		"loops in loops":     strings.Repeat(loop, 200) + strings.Repeat("{{ end }}", 200),
		"doubled texts":      `{{ $x := "xxxxxxxxxx" }}` + strings.Repeat("{{ $x = print $x $x }}", 300),
		"doubled in a loop":  `{{ $x := "xxxxxxxxxx" }}` + loop + strings.Repeat("{{ $x = print $x $x }}", 200) + "{{ end }}",
		"the node, as text":  loop + strings.Repeat(`{{ $x := printf "%v" $.Node }}`, 200) + "{{ end }}",
		"the node, inserted": loop + strings.Repeat(`{{ $.Node }}`, 200) + "{{ end }}",
		"escaped":            loop + strings.Repeat(`{{ $x := html $.Node }}`, 200) + "{{ end }}",
	} {
		t.Run(name, func(t *testing.T) {
			template := mustParse(t, source, message.Plain)
			var got string
			var err error
			took := cputest.Time(t, func() { got, err = template.Render(d) })
			if took > 2*time.Second || len(got) > 4096 {
				t.Errorf("Render() took %s and made %d bytes, %v, want at most 2 s and 4096 bytes", took, len(got), err)
			}
		})
	}
}

func mustParse(t *testing.T, source string, format message.Format) *message.Template {
	t.Helper()
	template, err := message.Parse(source, format)
	if err != nil {
		t.Fatalf("Parse(%.100q): %v", source, err)
	}
	return template
}

// What a template would make is counted before it is made.
func TestMuchIsNotMade(t *testing.T) {
	in := data()
	in.Node = map[string]any{"metadata": map[string]any{"annotations": map[string]any{"big": strings.Repeat("x", 200_000)}}}
	for _, source := range []string{
		"{{ print" + strings.Repeat(" .Node", 1000) + " }}", `{{ printf "` + strings.Repeat("%s", 900) + `"` + strings.Repeat(" .Node", 900) + " }}",
		"{{ js" + strings.Repeat(" .Node", 1000) + " }}",
	} {
		template, err := message.Parse(source, message.Plain)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = template.Render(in)
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; err == nil || made > 4<<20 {
			t.Errorf("%.20s…: %d KiB were allocated, error %v", source, made>>10, err)
		}
	}
}
