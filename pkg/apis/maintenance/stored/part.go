// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// part is what one object in the stored object has beyond what this version knows, and when that still holds.
type part struct {
	// At are the names of the fields that lead to the object, or to the list that it is an item of; empty for
	// the stored object itself.
	At []string `json:"at,omitempty"`
	// While are known fields, with their values. What is not known holds only while the object has them.
	While map[string]any `json:"while,omitempty"`
	// Exactly says that the object must have no other known fields than those of While: it is a record, which
	// says something as a whole. Fields are then all of its fields.
	Exactly bool `json:"exactly,omitempty"`
	// Fields are those that are not known.
	Fields map[string]any `json:"fields"`
}

// parents are the objects whose fields say something each for itself, so that one that is not known holds
// whatever becomes of the others. Every other object is a record.
var parents = []string{"", "metadata", "spec", "spec.drain", "status"}

// identities are the known fields by which a parent, or an item of a list, is the same as before although others
// of its fields have changed. What is not known of a status was said of one node. What is not known of a
// condition was said while it was True, or while it was not.
var identities = map[string][]string{
	"status":            {"nodeUID"},
	"status.conditions": {"type", "status"},
}

// beyond returns what the stored object at the path has beyond what this version makes of it, which is known.
func beyond(at []string, stored, known map[string]any) []part {
	own := part{At: at, While: identity(at, stored), Fields: notIn(known, stored)}
	var parts []part
	if len(own.Fields) > 0 {
		parts = append(parts, own)
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		inner := append(slices.Clone(at), name)
		switch value := stored[name].(type) {
		case map[string]any:
			parts = append(parts, beyondObject(inner, value, known[name])...)
		case []any:
			parts = append(parts, beyondItems(inner, value, known[name])...)
		}
	}
	return parts
}

func beyondObject(at []string, stored map[string]any, known any) []part {
	object, isObject := known.(map[string]any)
	switch {
	case isObject && slices.Contains(parents, strings.Join(at, ".")):
		return beyond(at, stored, object)
	case isObject && !covers(object, stored):
		return []part{{At: at, While: object, Exactly: true, Fields: stored}}
	default:
		return nil
	}
}

// beyondItems compares the items of a list. Decoding keeps their number and order.
func beyondItems(at []string, stored []any, known any) []part {
	items, isList := known.([]any)
	if !isList || len(items) != len(stored) {
		return nil
	}
	var parts []part
	for i := range items {
		item, isObject := stored[i].(map[string]any)
		object, isKnown := items[i].(map[string]any)
		switch while := identity(at, item); {
		case !isObject || !isKnown || covers(object, item):
		case while != nil:
			parts = append(parts, part{At: at, While: while, Fields: notIn(object, item)})
		default:
			parts = append(parts, part{At: at, While: object, Exactly: true, Fields: item})
		}
	}
	return parts
}

// identity is what an object at the path must have to be the same as before; nil when it is the same whatever it
// has.
func identity(at []string, object map[string]any) map[string]any {
	var same map[string]any
	for _, name := range identities[strings.Join(at, ".")] {
		if value, has := object[name]; has {
			if same == nil {
				same = map[string]any{}
			}
			same[name] = value
		}
	}
	return same
}

func notIn(known, stored map[string]any) map[string]any {
	unknown := maps.Clone(stored)
	maps.DeleteFunc(unknown, func(name string, _ any) bool { _, has := known[name]; return has })
	return unknown
}

// covers says whether known has every field that stored has, at every depth.
func covers(known, stored any) bool {
	switch of := stored.(type) {
	case map[string]any:
		object, isObject := known.(map[string]any)
		for name, value := range of {
			if inner, has := object[name]; !isObject || !has || !covers(inner, value) {
				return false
			}
		}
	case []any:
		items, isList := known.([]any)
		return isList && slices.EqualFunc(items, of, covers)
	}
	return true
}

// putBack adds the part to the object that this version writes, unless what it says no longer holds.
func (p part) putBack(object map[string]any) {
	var found any = object
	for _, name := range p.At {
		parent, _ := found.(map[string]any)
		found = parent[name]
	}
	items, isList := found.([]any)
	if !isList {
		items = []any{found}
	}
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok && p.holds(fields) {
			p.addTo(fields)
			return
		}
	}
}

// holds says whether what is not known still holds of an object with these fields.
func (p part) holds(fields map[string]any) bool {
	if p.Exactly {
		return reflect.DeepEqual(fields, p.While)
	}
	for name, value := range p.While {
		if !reflect.DeepEqual(fields[name], value) {
			return false
		}
	}
	return true
}

// addTo adds the fields. What this version has written itself stays.
func (p part) addTo(fields map[string]any) {
	for name, value := range p.Fields {
		if _, known := fields[name]; !known || p.Exactly {
			fields[name] = value
		}
	}
}
