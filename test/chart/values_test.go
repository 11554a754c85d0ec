// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var updateDocs = flag.Bool("update-docs", false, "write the table of values into the chart's README")

// tableMarks are around the table of values in the chart's README.
const tableBegin, tableEnd = "<!-- values -->\n", "<!-- end of values -->\n"

// The chart's README lists each value, with its default and its comment in values.yaml.
func TestValuesTable(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	if err := yaml.Unmarshal(read(t, "values.yaml"), &document); err != nil {
		t.Fatal(err)
	}
	table := tableBegin + "| value | default | |\n|---|---|---|\n" + strings.Join(rows(t, "", document.Content[0]), "") + tableEnd
	readme := string(read(t, "README.md"))
	before, rest, _ := strings.Cut(readme, tableBegin)
	_, after, ok := strings.Cut(rest, tableEnd)
	if !ok {
		t.Fatal("the chart's README has no place for the table of values")
	}
	if *updateDocs {
		if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte(before+table+after), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(tableBegin+strings.TrimSuffix(rest, after), table); diff != "" {
		t.Errorf("the chart's README is stale, run the test with -update-docs (-README +values.yaml):\n%s", diff)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// rows has a line of the table for each value: one with a comment, or one in a mapping without.
func rows(t *testing.T, path string, values *yaml.Node) []string {
	t.Helper()
	var lines []string
	for i := 0; i+1 < len(values.Content); i += 2 {
		key, value := values.Content[i], values.Content[i+1]
		name := path + key.Value
		comment, documented := description(key.HeadComment)
		switch {
		case documented:
			lines = append(lines, fmt.Sprintf("| `%s` | %s | %s |\n", name, shownDefault(t, key.HeadComment, value), comment))
		case value.Kind == yaml.MappingNode && len(value.Content) > 0:
			lines = append(lines, rows(t, name+".", value)...)
		default:
			t.Errorf("%s has no comment that begins with # --", name)
		}
	}
	return lines
}

var (
	// begins is how the comment of a value begins, and marks a line that says how to show its default.
	begins = regexp.MustCompile(`(?s)# -- (.*)$`)
	marks  = regexp.MustCompile(`(?m)^# @default -- (.*)$`)
)

func description(comment string) (string, bool) {
	found := begins.FindStringSubmatch(marks.ReplaceAllString(comment, ""))
	if found == nil {
		return "", false
	}
	return strings.TrimSpace(strings.ReplaceAll(found[1], "\n# ", " ")), true
}

func shownDefault(t *testing.T, comment string, value *yaml.Node) string {
	t.Helper()
	if found := marks.FindStringSubmatch(comment); found != nil {
		return found[1]
	}
	var decoded any
	if err := value.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	return "`" + string(encoded) + "`"
}

// An object of the schema that lists its properties permits no others, so that no typing error is silent.
func TestSchemaIsClosed(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	if err := json.Unmarshal(read(t, "values.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	checkClosed(t, "values", schema)
}

func checkClosed(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if _, lists := schema["properties"]; lists && schema["additionalProperties"] != false {
		t.Errorf("the schema of %s permits additional properties", path)
	}
	for name, part := range schema {
		if inner, ok := part.(map[string]any); ok {
			checkClosed(t, path+"."+name, inner)
		}
	}
}
