// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// examples are the whole configurations in testdata. The last one has every plugin, with files of the integrations.
var examples = []string{"flatcar", "esx", "kubernikus", "several", "every"}

func example(t *testing.T, name string) *Result {
	t.Helper()
	return translated(t, string(read(t, name+".yaml")), func(o *Options) {
		if name == "every" {
			o.CloudProvider = File{"cloudprovider.conf", []byte("[Global]\nregion=\"qa-de-1\"\n")}
			o.ESX = File{"every.esx.yaml", read(t, "every.esx.yaml")}
			o.Kubernikus = File{"every.kubernikus.yaml", read(t, "every.kubernikus.yaml")}
		}
	})
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every key of every file is in the report, once; even those that nobody knows, and those of something that is wrong.
func TestReportHasEveryKey(t *testing.T) {
	for _, name := range examples {
		t.Run(name, func(t *testing.T) {
			result := example(t, name)
			wantEveryKey(t, result, "maintenance.yaml", read(t, name+".yaml"))
			if name == "every" {
				wantEveryKey(t, result, "every.esx.yaml", read(t, "every.esx.yaml"))
				wantEveryKey(t, result, "every.kubernikus.yaml", read(t, "every.kubernikus.yaml"))
			}
		})
	}
	for name, config := range map[string]string{
		"unknown type":      "instances:\n  check:\n  - {type: none, name: a, config: {b: {c: d}}}\n",
		"unknown keys":      "a:\n  b:\n  - c: d\n",
		"unknown schedule":  withNotifier(slackOne + "\nschedule:\n  type: hourly\n  config:\n    at: 3"),
		"schedule, unknown": withNotifier(slackOne + "\nschedule:\n  type: oneshot\n  config:\n    at: {a: 3}"),
		"self-edge":         "profiles:\n- name: p\n  operational:\n    transitions:\n    - {check: a, next: operational, trigger: b, more: c}\n",
		"no config":         "instances:\n  check:\n  - {type: wait, name: a, cnofig: {duration: 1s}}\n",
		"wrong action":      withTrigger("type: eviction\nconfig: {action: a, evictionTimeout: 1m}"),
		"two of one name":   "profiles:\n- name: p\n  operational: {enter: a}\n- name: p\n",
	} {
		t.Run(name, func(t *testing.T) { wantEveryKey(t, translated(t, config), "maintenance.yaml", []byte(config)) })
	}
}

func wantEveryKey(t *testing.T, result *Result, file string, text []byte) {
	t.Helper()
	var root yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root); err != nil {
		t.Fatal(err)
	}
	for _, key := range keysIn(&root) {
		found := slices.ContainsFunc(result.Report.Entries(), func(e Entry) bool {
			return e.File == file && e.Line == key.Line && (e.Key == key.Value || strings.HasSuffix(e.Key, "."+key.Value))
		})
		if !found {
			t.Errorf("%s:%d: the key %s is not in the report:\n%s", file, key.Line, key.Value, told(&result.Report))
		}
	}
}

func keysIn(node *yaml.Node) (keys []*yaml.Node) {
	for i, inner := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			keys = append(keys, inner)
			continue
		}
		keys = append(keys, keysIn(inner)...)
	}
	return keys
}
