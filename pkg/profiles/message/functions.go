// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message

import (
	"errors"
	"fmt"
	"reflect"
	"text/template"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// allowed are the functions that templates may call: those of text/template, but for call.
var allowed = map[string]any{
	"and": true, "or": true, "not": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
	"len": true, "index": true, "slice": true,
	"print": true, "printf": true, "println": true, "html": true, "js": true, "urlquery": true,
}

// The functions that guards call. Templates cannot, since they are not in allowed.
const (
	itemsFunction  = "items"
	insertFunction = "insert"
)

// How much one rendering may do. Both are far more than a text of v1beta1.MaxRenderedBytes needs.
const (
	maxItems = 1000
	maxMade  = 1024 * 1024
)

var (
	errFull  = errors.New("the text is long enough")
	errItems = fmt.Errorf("its loops go over more than %d items", maxItems)
	errMade  = fmt.Errorf("its functions make more than %d bytes", maxMade)
)

// functions replaces those functions of text/template that make texts, since they could double one again and again.
func (r *run) functions() template.FuncMap {
	return template.FuncMap{
		itemsFunction:  r.over,
		insertFunction: r.insert,
		"print":        r.making(fmt.Sprint),
		"println":      r.making(fmt.Sprintln),
		"printf": func(format string, args ...any) (string, error) {
			return r.making(func(args ...any) string { return fmt.Sprintf(format, args...) })(args...)
		},
		"html":     r.making(template.HTMLEscaper),
		"js":       r.making(template.JSEscaper),
		"urlquery": r.making(template.URLQueryEscaper),
	}
}

// over lets a loop go over a list or a map, and counts. A number would be a loop of that length.
func (r *run) over(data any) (any, error) {
	if data == nil {
		return []any(nil), nil
	}
	value := reflect.ValueOf(data)
	switch value.Kind() {
	case reflect.Map, reflect.Slice:
		r.items += value.Len()
	default:
		return nil, fmt.Errorf("range goes over lists and maps, not over a %s", value.Kind())
	}
	if r.items > maxItems {
		return nil, errItems
	}
	return data, nil
}

// insert escapes a value that is inserted. What does not exist is empty.
func (r *run) insert(value any) (string, error) {
	if value == nil {
		return "", nil
	}
	text, err := r.making(fmt.Sprint)(value)
	return r.format.value(text), err
}

// making returns a function that makes a text, cut to what fits into a message. It counts what is made, and does not begin if
// that would be too much: a template of 8 KiB may name a whole node a thousand times.
func (r *run) making(text func(args ...any) string) func(args ...any) (string, error) {
	return func(args ...any) (string, error) {
		if r.made+size(args) > maxMade {
			return "", errMade
		}
		made := text(args...)
		r.made += len(made)
		return short(made, v1beta1.MaxRenderedBytes+1), nil
	}
}

// size says how many bytes a value has as a text, about.
func size(value any) int {
	const scalar = 8
	bytes := scalar
	switch v := value.(type) {
	case string:
		return len(v)
	case []any:
		for _, item := range v {
			bytes += size(item)
		}
	case map[string]any:
		for key, item := range v {
			bytes += len(key) + size(item)
		}
	}
	return bytes
}
