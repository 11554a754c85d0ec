// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"iter"
	"reflect"
)

// part is what one object in the stored object has beyond what this version knows, and when that still holds.
type part struct {
	// At are the names of the fields that lead to the object, or to the list that it is an item of; empty for
	// the stored object itself.
	At []string `json:"at,omitempty"`
	// Item is where in the list the object was.
	Item int `json:"item,omitempty"`
	// While are known fields, with their values, nil for those that the object does not have. What is not known holds
	// only while that stays so.
	While map[string]any `json:"while,omitempty"`
	// Exactly says that the object must have no other known fields than those of While: it is a record, which
	// says something as a whole. Fields are then all of its fields.
	Exactly bool `json:"exactly,omitempty"`
	// Fields are those that are not known.
	Fields map[string]any `json:"fields"`
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
	for i := range p.nearest(len(items)) {
		if fields, ok := items[i].(map[string]any); ok && p.holds(fields) {
			p.addTo(fields)
			return
		}
	}
}

// nearest yields the places in a list of that length, from the item's own outwards: few items change their places, and
// not far, and a list can have thousands.
func (p part) nearest(length int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for distance := range max(length, p.Item) + 1 {
			before, after := p.Item-distance, p.Item+distance
			if before >= 0 && before < length && !yield(before) {
				return
			}
			if distance > 0 && after < length && !yield(after) {
				return
			}
		}
	}
}

// holds says whether what is not known still holds of an object with these fields.
func (p part) holds(fields map[string]any) bool {
	if p.Exactly {
		// An object of which nothing is known is empty, which is packed as nothing at all.
		return len(fields)+len(p.While) == 0 || reflect.DeepEqual(fields, p.While)
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
