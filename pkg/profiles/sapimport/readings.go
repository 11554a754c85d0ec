// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yesAndNo are the words that the controller's reader of YAML, which knows version 1.1, takes for true and false.
var yesAndNo = map[string]string{
	"yes": "true", "on": "true", "no": "false", "off": "false", "true": "true", "false": "false",
}

// plainReading says how the controller has read a value that has no variable; empty: as it is.
func plainReading(node *yaml.Node) string {
	if node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return ""
	}
	if word := yesAndNo[strings.ToLower(node.Value)]; word != "" {
		return word
	}
	if node.Tag == "!!int" || node.Tag == "!!float" {
		return numberReading(node.Value)
	}
	return ""
}

// variableReading says how the controller has read a value that has a variable: it takes it for JSON, more or less; empty:
// as it is.
func variableReading(value string) string {
	trimmed := strings.TrimSpace(value)
	switch {
	case trimmed == "":
		return ""
	case strings.ContainsRune(`"'`, rune(trimmed[0])):
		return "a text without the quotes"
	case trimmed[0] == '[' || trimmed[0] == '{':
		return "a list or a mapping"
	case strings.Contains(trimmed, ","):
		return "a list"
	case trimmed != value:
		return "a text without the spaces around it"
	case slices.Contains([]string{"null", "nil"}, trimmed):
		return "nothing"
	}
	if word := yesAndNo[strings.ToLower(trimmed)]; word != "" {
		return word
	}
	return numberReading(trimmed)
}

// otherwise stands for a number that is not quoted, since it may be a password.
const otherwise = "a number, and so writes it otherwise, such as 7 for 007"

// numberReading says whether a number that was read from a text is written otherwise afterwards; empty: no, or it is none.
func numberReading(text string) string {
	var read string
	if value, err := strconv.ParseInt(text, 0, 64); err == nil {
		read = strconv.FormatInt(value, 10)
	} else if value, err := strconv.ParseUint(text, 0, 64); err == nil {
		read = strconv.FormatUint(value, 10)
	} else if value, err := strconv.ParseFloat(text, 64); err == nil {
		read = strconv.FormatFloat(value, 'g', -1, 64)
	}
	if read == "" || read == text {
		return ""
	}
	return otherwise
}
