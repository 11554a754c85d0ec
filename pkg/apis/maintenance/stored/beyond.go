// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"maps"
	"slices"
)

// beyond returns what the stored object at the path has beyond what this version makes of it, which is known.
func (r rules) beyond(at []string, stored, known map[string]any) []part {
	own := part{At: at, While: r.identity(at, stored), Fields: notIn(known, stored)}
	var parts []part
	if len(own.Fields) > 0 {
		parts = append(parts, own)
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		inner := append(slices.Clone(at), name)
		switch value := stored[name].(type) {
		case map[string]any:
			parts = append(parts, r.beyondObject(inner, value, known[name])...)
		case []any:
			parts = append(parts, r.beyondItems(inner, value, known[name])...)
		}
	}
	return parts
}

func (r rules) beyondObject(at []string, stored map[string]any, known any) []part {
	object, isObject := known.(map[string]any)
	switch {
	case isObject && r.isParent(at):
		return r.beyond(at, stored, object)
	case isObject && !covers(object, stored):
		return []part{{At: at, While: object, Exactly: true, Fields: stored}}
	default:
		return nil
	}
}

// beyondItems compares the items of a list. Decoding keeps their number and order.
func (r rules) beyondItems(at []string, stored []any, known any) []part {
	items, isList := known.([]any)
	if !isList || len(items) != len(stored) {
		return nil
	}
	var parts []part
	for i := range items {
		item, isObject := stored[i].(map[string]any)
		object, isKnown := items[i].(map[string]any)
		if isObject && isKnown && !covers(object, item) {
			parts = append(parts, r.beyondItem(at, i, item, object)...)
		}
	}
	return parts
}

// beyondItem returns an item that has an identity in two parts: all of it, while it stays as it is, and its own fields,
// while it stays the same.
func (r rules) beyondItem(at []string, i int, stored, known map[string]any) []part {
	parts := []part{{At: at, Item: i, While: known, Exactly: true, Fields: stored}}
	while, own := r.identity(at, stored), notIn(known, stored)
	if while != nil && len(own) > 0 {
		parts = append(parts, part{At: at, Item: i, While: while, Fields: own})
	}
	return parts
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
