// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"maps"
	"slices"
	"strings"
)

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
// has. A field that it does not have is nil there.
func identity(at []string, object map[string]any) map[string]any {
	names := identities[strings.Join(at, ".")]
	if len(names) == 0 {
		return nil
	}
	same := map[string]any{}
	for _, name := range names {
		same[name] = object[name]
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
