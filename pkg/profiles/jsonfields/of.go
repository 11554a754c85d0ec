// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package jsonfields

import (
	"maps"
	"reflect"
	"strings"
)

// Of returns the shape that a type has as JSON.
func Of[T any]() *Shape { return ofType(reflect.TypeFor[T]()) }

func ofType(t reflect.Type) *Shape {
	switch t.Kind() {
	case reflect.Pointer:
		return ofType(t.Elem())
	case reflect.Slice:
		return &Shape{List: true, Items: ofType(t.Elem())}
	case reflect.Map:
		return &Shape{Map: true, Items: ofType(t.Elem())}
	case reflect.Struct:
		return ofStruct(t)
	default:
		return Single
	}
}

// ofStruct takes a type that makes its own JSON, such as a time, for a single value.
func ofStruct(t reflect.Type) *Shape {
	if _, own := reflect.PointerTo(t).MethodByName("MarshalJSON"); own {
		return Single
	}
	return &Shape{Fields: fieldsOf(t)}
}

func fieldsOf(t reflect.Type) map[string]*Shape {
	fields := map[string]*Shape{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous:
			maps.Copy(fields, fieldsOf(field.Type))
		case name != "" && name != "-":
			fields[name] = ofType(field.Type)
		}
	}
	return fields
}
