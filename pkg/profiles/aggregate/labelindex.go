// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

// labelIndex are the nodes that have a label.
type labelIndex struct {
	all     names
	byValue map[string]*names
}

func newLabelIndex() *labelIndex { return &labelIndex{byValue: map[string]*names{}} }

// first returns the first node that has the label, with the value unless that is nil.
func (x *labelIndex) first(value *string) (node string, ok bool) {
	nodes := &x.all
	if value != nil {
		nodes = x.byValue[*value]
	}
	if nodes == nil || len(*nodes) == 0 {
		return "", false
	}
	return (*nodes)[0], true
}

func (x *labelIndex) add(value, node string) {
	x.all.add(node)
	if x.byValue[value] == nil {
		x.byValue[value] = &names{}
	}
	x.byValue[value].add(node)
}

func (x *labelIndex) remove(value, node string) {
	nodes := x.byValue[value]
	if nodes == nil {
		return
	}
	x.all.remove(node)
	if nodes.remove(node); len(*nodes) == 0 {
		delete(x.byValue, value)
	}
}
