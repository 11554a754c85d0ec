// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"
	"testing"
)

func TestTemplates(t *testing.T) {
	for name, test := range map[string]struct{ source, want, wantTold string }{
		"text":               {"all is well", "all is well", ""},
		"state":              {"{{ .State }}", "{{ .State }}", "the state is written as InMaintenance"},
		"state compared":     {`{{ if eq .State "in-maintenance" }}x{{ end }}`, `{{if eq .State "InMaintenance"}}x{{end}}`, "as the template"},
		"other comparisons":  {`{{ if eq .Profile "in-maintenance" }}x{{ end }}`, `{{ if eq .Profile "in-maintenance" }}x{{ end }}`, ""},
		"profile":            {"{{ .Profile }}", "{{ .Profile }}", ""},
		"documented profile": {"{{ .Profile.Current }} {{ .Profile.Last }}", "{{ .Profile.Current }} {{ .Profile.Last }}", ".Profile.Last fails in the controller, and is the profile of the node whose state has changed last here"},
		"embedded":           {"{{ .Node.Name }} {{ .Node.ObjectMeta.Name }}", "{{.Node.metadata.name}} {{.Node.metadata.name}}", "as the template"},
		"nested":             {"{{ .Node.Status.NodeInfo.KernelVersion }}", "{{.Node.status.nodeInfo.kernelVersion}}", "as the template"},
		"map":                {`{{ index .Node.Labels "a/b" }} {{ .Node.Labels.zone }}`, `{{index .Node.metadata.labels "a/b"}} {{.Node.metadata.labels.zone}}`, "as the template"},
		"with":               {"{{ with .Node }}{{ .Name }}{{ end }}", "{{with .Node}}{{.metadata.name}}{{end}}", "as the template"},
		"range":              {"{{ range .Node.Status.Conditions }}{{ .Type }}{{ end }}", "{{range .Node.status.conditions}}{{.type}}{{end}}", "as the template"},
		"range variables":    {"{{ range $i, $c := .Node.Status.Conditions }}{{ $c.Type }}{{ end }}", "{{range $i, $c := .Node.status.conditions}}{{$c.type}}{{end}}", "as the template"},
		"variable":           {"{{ $n := .Node }}{{ $n.Name }} {{ $.Node.Name }}", "{{$n := .Node}}{{$n.metadata.name}} {{$.Node.metadata.name}}", "as the template"},
		"time":               {"{{ .LastTransition }}", "{{ .LastTransition }}", "times are written as"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withNotifier("type: slack\nconfig:\n  hook: https://h.example.com\n  channel: a\n  message: "+quotedYAML(test.source)+oneshot))
			got := told(&result.Report)
			if !strings.Contains(got, test.wantTold) || test.wantTold == "" && got != "" {
				t.Errorf("report:\n%s\nwant: %s", got, test.wantTold)
			}
			if len(result.Profiles) != 1 {
				t.Fatal("the profile is left out")
			}
			if message := result.Profiles[0].Spec.Notifiers[0].Slack.Message; message != test.want {
				t.Errorf("template %s, want %s", message, test.want)
			}
		})
	}
}

func TestWrongTemplates(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"unfinished":     {"{{ .Foo", "message CANNOT BE MAPPED"},
		"unknown":        {"{{ .Foo }}", ".Foo does not exist"},
		"unknown field":  {"{{ .Node.Foo }}", ".Node.Foo does not exist"},
		"method":         {"{{ .Node.GetName }}", ".Node.GetName is a method of Go"},
		"method of time": {`{{ .LastTransition.Format "15:04" }}`, ".LastTransition.Format is a method of Go"},
		"recorder":       {"{{ .Recorder }}", ".Recorder is not there"},
		"define":         {`{{ define "x" }}{{ end }}a`, "define"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withNotifier("type: slack\nconfig:\n  hook: https://h.example.com\n  channel: a\n  message: "+quotedYAML(test.source)+oneshot))
			if got := told(&result.Report); !strings.Contains(got, test.want) || result.Report.Count(Unmapped) == 0 {
				t.Errorf("report:\n%s\nwant it to have: %s", got, test.want)
			}
		})
	}
}

func quotedYAML(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
