// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// member is a field of a union: a struct of which exactly one field is set.
type member struct {
	name     string
	set      bool
	validate func(path *field.Path) field.ErrorList
}

// memberOf is the member with the name, which validate checks if it is set.
func memberOf[T any](name string, value *T, validate func(*T, *field.Path) field.ErrorList) member {
	return member{name, value != nil, func(path *field.Path) field.ErrorList { return validate(value, path.Child(name)) }}
}

// validateUnion checks that exactly one member is set, and checks it.
func validateUnion(members []member, path *field.Path) field.ErrorList {
	var names, set []string
	var errs field.ErrorList
	for _, m := range members {
		names = append(names, m.name)
		if m.set {
			set = append(set, m.name)
			errs = append(errs, m.validate(path)...)
		}
	}
	want := "must have exactly one of: " + strings.Join(names, ", ")
	switch len(set) {
	case 0:
		return field.ErrorList{field.Required(path, want)}
	case 1:
		return errs
	default:
		return field.ErrorList{field.Invalid(path, strings.Join(set, ", "), want)}
	}
}
