// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import "reflect"

// part is what one object in the stored object has beyond what this version knows, and when that still holds.
type part struct {
	// At are the names of the fields that lead to the object, or to the list that it is an item of; empty for
	// the stored object itself.
	At []string `json:"at,omitempty"`
	// While are known fields, with their values, nil for those that the object does not have. What is not known holds
	// only while that stays so.
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
