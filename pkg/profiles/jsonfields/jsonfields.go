// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package jsonfields knows which fields the JSON of a type of Kubernetes can have. Expressions and templates see nodes as JSON,
// so a field with a wrong name is found before there is a node that does not have it.
package jsonfields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Shape is what is known of a value before there is one. Nil: nothing is known, and any field may be there. A shape does
// not change once it is used.
type Shape struct {
	// Fields are the fields of an object. Nil if it is no object.
	Fields map[string]*Shape
	// Items are the shape of the items of a list, or of the values of a map.
	Items *Shape
	// Map says that it is a map: it may have any key.
	Map bool
	// List says that it is a list.
	List bool
}

// Single is the shape of a text, a number, true or false.
var Single = &Shape{}

// At returns the shape at a path of fields. The error says which field cannot be there, and which can.
func (s *Shape) At(path ...string) (*Shape, error) {
	for i, name := range path {
		if s == nil {
			return nil, nil
		}
		next, err := s.field(name)
		if err != nil {
			return nil, fmt.Errorf(".%s: %w", strings.Join(path[:i+1], "."), err)
		}
		s = next
	}
	return s, nil
}

// Item returns the shape of an item of a list, or of a value of a map. Nil, if nothing is known of it.
func (s *Shape) Item() *Shape {
	if s == nil {
		return nil
	}
	return s.Items
}

func (s *Shape) field(name string) (*Shape, error) {
	if s.Map {
		return s.Items, nil
	}
	if field, ok := s.Fields[name]; ok {
		return field, nil
	}
	switch {
	case s.List:
		return nil, fmt.Errorf("a list has no field %s, but its items may", name)
	case s.Fields == nil:
		return nil, fmt.Errorf("a single value has no field %s", name)
	default:
		return nil, fmt.Errorf("there is no field %s, but %s", name, s.known())
	}
}

// known lists the fields that there are.
func (s *Shape) known() string {
	var names []string
	for name := range s.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return quote.Names(names, 10)
}
