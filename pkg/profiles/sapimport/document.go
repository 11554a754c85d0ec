// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxNodes is how many values a file has at most. Aliases of YAML could make any number of them.
const maxNodes = 100_000

// document is a file.
type document struct {
	file      string
	variables Variables
	report    *Report
	nodes     int
}

// read parses the file, and returns its only mapping.
func (d *document) read(text []byte) (*block, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var root yaml.Node
	if err := decoder.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is empty", d.file)
		}
		return nil, fmt.Errorf("could not read %s: %w", d.file, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s has more than one document, of which the controller reads only the first: remove the others", d.file)
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s must be a mapping with the keys of the SAP maintenance-controller, such as instances and profiles", d.file)
	}
	return d.block(top, Place{File: d.file, Line: top.Line}), nil
}

// resolve follows an alias of YAML.
func (d *document) resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// under is the place of a key in a mapping.
func (p Place) under(name string, line int) Place {
	key := name
	if p.Key != "" {
		key = p.Key + "." + name
	}
	return Place{File: p.File, Line: line, Key: key}
}

// isNull says whether a value is left empty.
func isNull(node *yaml.Node) bool { return node == nil || node.Tag == "!!null" }
