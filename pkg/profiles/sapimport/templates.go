// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"text/template/parse"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

// functions are those that text/template has. Which of them are allowed is admission's to say.
var functions = map[string]any{
	"and": true, "call": true, "html": true, "index": true, "slice": true, "js": true, "len": true, "not": true, "or": true, "print": true,
	"printf": true, "println": true, "urlquery": true, "eq": true, "ge": true, "gt": true, "le": true, "lt": true, "ne": true,
}

// template translates a template. The controller gives it Go's structures, this server JSON: .Node.Name is
// .Node.metadata.name here.
func (p *plugin) template(key string) string {
	source := p.config.text(key, required)
	if source == "" {
		return ""
	}
	trees, err := parse.Parse(key, source, "", "", functions)
	if err != nil {
		p.config.say(key, Unmapped, err.Error())
		return ""
	}
	tree := trees[key]
	if tree == nil {
		tree = &parse.Tree{Root: &parse.ListNode{}}
	}
	r := &rewriter{variables: map[string]shape{"$": rootShape}}
	r.list(tree.Root, rootShape)
	for _, note := range r.notes {
		p.config.say(key, note.outcome, note.text)
	}
	if p.config.broken(key) {
		return ""
	}
	translated := source
	if r.changed {
		translated = tree.Root.String()
		p.config.say(key, Changed, fmt.Sprintf("as the template %q", translated))
	}
	if _, err := message.Parse(translated, message.Plain); err != nil {
		p.config.say(key, Unmapped, err.Error())
	}
	return translated
}
