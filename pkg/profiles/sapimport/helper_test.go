// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// environment are variables.
func environment(values map[string]string) Variables {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

func translated(t *testing.T, config string, change ...func(*Options)) *Result {
	t.Helper()
	options := Options{
		Config: File{"maintenance.yaml", []byte(config)}, SecretNamespace: "maintenance-system",
		Variables: environment(map[string]string{"TOKEN": "xoxb-1", "NUMBER": "007", "LIST": "mon,tue", "EMPTY": ""}),
	}
	for _, c := range change {
		c(&options)
	}
	result, err := Translate(options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// told are the keys of a report that were not just taken over, one a line.
func told(report *Report) string {
	var lines []string
	for _, e := range report.Entries() {
		if e.Outcome != TakenOver || len(e.Details) > 0 {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%d %s %s: %s", e.Line, e.Key, e.Outcome, strings.Join(e.Details, "; ")), ": "))
		}
	}
	return strings.Join(lines, "\n")
}

func asYAML(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// indented puts a text under a key of YAML.
func indented(by int, text string) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+pad) + "\n"
}

// withCheck is a configuration with a profile that has one check, in a state.
func withCheck(check string) string {
	return "instances:\n  check:\n  - name: c\n" + indented(4, check) + `profiles:
- name: p
  maintenance-required:
    transitions:
    - {check: c, next: in-maintenance}
`
}

// withTrigger is a configuration with a profile that has one trigger.
func withTrigger(trigger string) string {
	return "instances:\n  check:\n  - {name: c, type: nodeCount, config: {count: 1}}\n  trigger:\n  - name: t\n" + indented(4, trigger) + `profiles:
- name: p
  operational:
    transitions:
    - {check: c, trigger: t, next: in-maintenance}
`
}

// withNotifier is a configuration with a profile that has one notifier.
func withNotifier(notifier string) string {
	return "instances:\n  notify:\n  - name: n\n" + indented(4, notifier) + `profiles:
- name: p
  operational:
    notify: n
`
}
