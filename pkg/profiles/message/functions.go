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
		"print":        func(args ...any) (string, error) { return r.limited(fmt.Sprint(args...)) },
		"println":      func(args ...any) (string, error) { return r.limited(fmt.Sprintln(args...)) },
		"printf": func(format string, args ...any) (string, error) {
			return r.limited(fmt.Sprintf(format, args...))
		},
		"html":     func(args ...any) (string, error) { return r.limited(template.HTMLEscaper(args...)) },
		"js":       func(args ...any) (string, error) { return r.limited(template.JSEscaper(args...)) },
		"urlquery": func(args ...any) (string, error) { return r.limited(template.URLQueryEscaper(args...)) },
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
	text, err := r.limited(fmt.Sprint(value))
	return r.format.value(text), err
}

// limited cuts a text to what fits into a message, and counts what was made.
func (r *run) limited(text string) (string, error) {
	r.made += len(text)
	if r.made > maxMade {
		return "", errMade
	}
	return short(text, v1beta1.MaxRenderedBytes+1), nil
}
