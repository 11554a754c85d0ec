// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// texts returns a list of texts. As the controller does, it takes a single value for a list of one, and one from a
// variable, such as "a,b", for a list of several.
func (b *block) texts(name string, n need) []string {
	f := b.take(name)
	if f == nil {
		b.missing(name, n)
		return nil
	}
	var texts []string
	switch f.value.Kind {
	case yaml.ScalarNode:
		texts = strings.FieldsFunc(b.text(name, n), func(r rune) bool { return r == ',' })
	case yaml.SequenceNode:
		for _, item := range f.value.Content {
			texts = append(texts, b.item(name, b.doc.resolve(item)))
		}
	default:
		b.say(name, Unmapped, "must be a list of values")
		return nil
	}
	for i := range texts {
		texts[i] = strings.TrimSpace(texts[i])
	}
	if len(texts) == 0 {
		b.missing(name, n)
	}
	return texts
}

func (b *block) item(name string, node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode || isNull(node) || node.Value == "" {
		b.say(name, Unmapped, "must be a list of single values")
		return ""
	}
	return b.scalar(name, node)
}
