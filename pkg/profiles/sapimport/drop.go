// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import "go.yaml.in/yaml/v3"

// drop reports the keys that nobody has taken as dropped, with all keys that are in them.
func (b *block) drop(why string) {
	for _, f := range b.fields {
		if !f.taken {
			f.taken = true
			b.doc.report.say(f.at, Dropped, why)
			b.doc.dropIn(f, why)
		}
	}
}

// dropIn reports the keys that are in the value of a key.
func (d *document) dropIn(f *field, why string) {
	switch f.value.Kind {
	case yaml.MappingNode:
		d.block(f.value, f.at).drop(why)
	case yaml.SequenceNode:
		if d.nodes += len(f.value.Content); d.nodes > maxNodes {
			return // a list can have itself as an item
		}
		for at, node := range d.items(f) {
			d.dropIn(&field{at: at, value: node}, why)
		}
	}
}

// fate is what becomes of a key that is not translated.
type fate struct {
	key     string
	outcome Outcome
	why     string
}

// tell reports a mapping of which nothing is translated. Of its keys, the controller knows those that have a fate.
func (b *block) tell(name string, fates ...fate) {
	inner := b.inner(name)
	if inner == nil {
		return
	}
	least := Dropped
	for _, f := range fates {
		inner.without(f.key, f.outcome, f.why)
		least = min(least, f.outcome)
	}
	b.say(name, least, "")
	inner.done()
}

// without reports a key of which nothing is translated.
func (b *block) without(name string, outcome Outcome, why string) {
	if f := b.find(name); f != nil {
		f.taken = true
		b.say(name, outcome, why)
		b.doc.dropIn(f, why)
	}
}
