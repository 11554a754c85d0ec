// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"context"
	"errors"
	"fmt"
	"text/template"
	"text/template/parse"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
)

// Template is a template that has been checked. It does not change, so many may use it at the same time.
type Template struct {
	format Format
	text   crashguard.Text
	parsed *template.Template
}

// name is what text/template calls the template in its errors.
const name = "message"

// Parse parses a template, and refuses one that could go on for long, that calls what is not data, or that names a field
// which does not exist. The error says where it is wrong, and what would be right. It also refuses one that a process has died
// of, as Render does.
func Parse(source string, format Format) (*Template, error) {
	if len(source) > v1beta1.MaxTemplateBytes {
		return nil, fmt.Errorf("%d bytes are too long: at most %d", len(source), v1beta1.MaxTemplateBytes)
	}
	text := crashguard.TextOf(source)
	seat, err := crashguard.Process.Enter(context.Background(), text)
	if err != nil {
		return nil, err
	}
	defer crashguard.Process.Leave(seat)
	tree, err := parseTree(source)
	if err != nil {
		return nil, err
	}
	if err := (guard{source: source}).list(tree.Root, rootShape); err != nil {
		return nil, err
	}
	parsed, err := template.New(name).Funcs((&run{}).functions()).AddParseTree(name, tree)
	if err != nil {
		return nil, readable(err)
	}
	return &Template{format: format, text: text, parsed: parsed}, nil
}

// parseTree refuses templates within the template: they could call each other without end.
func parseTree(source string) (*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	tree, err := parse.New(name).Parse(source, "", "", trees, allowed)
	if err != nil {
		return nil, readable(err)
	}
	if len(trees) > 1 || (len(trees) == 1 && trees[name] != tree) {
		return nil, errors.New("define and block are not allowed: write the text where it is inserted")
	}
	return tree, nil
}
