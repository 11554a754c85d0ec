// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"iter"

	"go.yaml.in/yaml/v3"
)

// block is a mapping of a file. Who reads it takes its keys one by one; what is left then is not known to the
// controller.
type block struct {
	doc    *document
	at     Place
	fields []*field
}

// field is a key of a mapping, with its value.
type field struct {
	name  string
	at    Place
	value *yaml.Node
	taken bool
}

// block reads a mapping. Keys that are there twice, and merged ones, are errors.
func (d *document) block(node *yaml.Node, at Place) *block {
	b := &block{doc: d, at: at}
	if d.nodes += len(node.Content) + 1; d.nodes > maxNodes {
		d.report.say(at, Unmapped, fmt.Sprintf("the file has more than %d values", maxNodes))
		return b
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		b.add(node.Content[i], d.resolve(node.Content[i+1]))
	}
	return b
}

func (b *block) add(key, value *yaml.Node) {
	at := b.at.under(key.Value, key.Line)
	switch {
	case key.Kind != yaml.ScalarNode || key.Tag == "!!merge":
		b.doc.report.say(at, Unmapped, "merged keys and keys that are no texts are not supported: write the keys out")
	case b.find(key.Value) != nil:
		b.doc.report.say(at, Unmapped, fmt.Sprintf("the key is there twice, first in line %d: remove one of them", b.find(key.Value).at.Line))
	default:
		b.fields = append(b.fields, &field{name: key.Value, at: at, value: value})
	}
}

func (b *block) find(name string) *field {
	for _, f := range b.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// take returns a key that the controller knows; nil if it is not set.
func (b *block) take(name string) *field {
	f := b.find(name)
	if f == nil {
		return nil
	}
	f.taken = true
	b.say(name, TakenOver, "")
	if isNull(f.value) {
		return nil
	}
	return f
}

// say adds to the report of a key. If the key is not set, it is about the line of the mapping.
func (b *block) say(name string, outcome Outcome, detail string) {
	at := b.at.under(name, b.at.Line)
	if f := b.find(name); f != nil {
		at = f.at
	}
	b.doc.report.say(at, outcome, detail)
}

// done reports the keys that nobody has taken.
func (b *block) done() {
	b.drop("the controller does not know this key and ignores it; look for a typing error")
}

// inner returns the mapping that a key has; nil if it is not set.
func (b *block) inner(name string) *block {
	f := b.take(name)
	if f == nil {
		return nil
	}
	if f.value.Kind != yaml.MappingNode {
		b.say(name, Unmapped, "must be a mapping")
		return nil
	}
	return b.doc.block(f.value, f.at)
}

// each calls do for each mapping of a list, with the name of the item in the report.
func (b *block) each(name string, do func(item *block)) {
	f := b.take(name)
	if f == nil {
		return
	}
	if f.value.Kind != yaml.SequenceNode {
		b.say(name, Unmapped, "must be a list")
		return
	}
	for at, node := range b.doc.items(f) {
		if node.Kind != yaml.MappingNode {
			b.doc.report.say(at, Unmapped, "must be a mapping")
			continue
		}
		do(b.doc.block(node, at))
	}
}

// items are those of a list, with their places.
func (d *document) items(list *field) iter.Seq2[Place, *yaml.Node] {
	return func(yield func(Place, *yaml.Node) bool) {
		seen := map[string]int{}
		for i, node := range list.value.Content {
			node = d.resolve(node)
			called := itemName(node, i)
			if seen[called]++; seen[called] > 1 {
				called = fmt.Sprintf("%s (%d)", called, seen[called])
			}
			at := Place{File: list.at.File, Line: node.Line, Key: fmt.Sprintf("%s[%s]", list.at.Key, called)}
			if !yield(at, node) {
				return
			}
		}
	}
}

// itemName is what the report calls an item of a list: its name, or its number.
func itemName(node *yaml.Node, index int) string {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == "name" && node.Content[i+1].Value != "" {
			return node.Content[i+1].Value
		}
	}
	return fmt.Sprint(index)
}
