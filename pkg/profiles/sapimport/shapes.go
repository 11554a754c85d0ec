// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// shape is the type that a value of a template has in the controller; nil: it is not known.
type shape = reflect.Type

// parameters are what templates of the controller can use here, too.
type parameters struct {
	State          string
	Node           *corev1.Node
	Profile        string
	InMaintenance  bool
	LastTransition time.Time
	LogDetails     bool
}

var rootShape = reflect.TypeFor[parameters]()

// machinery are those that give a template power over the cluster.
var machinery = []string{"Client", "Clientset", "Ctx", "Log", "Recorder"}

// documented are fields that the documentation of the controller promises, and that it does not have.
var documented = map[string]string{
	"Profile.Current": "the name of the profile",
	"Profile.Last":    "the profile of the node whose state has changed last",
}

// note is what the report says of a template.
type note struct {
	outcome Outcome
	text    string
}

// follow translates the names of fields, from a value of the shape on. It returns the shape of the last field.
func (r *rewriter) follow(from shape, path []string) ([]string, shape) {
	if from == rootShape && len(path) > 0 && slices.Contains(machinery, path[0]) {
		r.say(Unmapped, "."+path[0]+" is not there for templates: they have copied data alone")
		return path, nil
	}
	if meaning := documented[strings.Join(path, ".")]; from == rootShape && meaning != "" {
		r.say(Changed, fmt.Sprintf(".%s fails in the controller, and is %s here, as its documentation says", strings.Join(path, "."), meaning))
		return path, reflect.TypeFor[string]()
	}
	var names []string
	for i, name := range path {
		if from == nil {
			return append(names, path[i:]...), nil
		}
		step, next, problem := fieldOf(from, name)
		if problem != "" {
			r.say(Unmapped, "."+strings.Join(path[:i+1], ".")+" "+problem)
			return path, nil
		}
		names, from = append(names, step...), next
	}
	r.changed = r.changed || !slices.Equal(names, path)
	return names, from
}

// fieldOf returns the names of a field of a type in JSON, and its type.
func fieldOf(of shape, name string) (names []string, next shape, problem string) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if _, method := reflect.PointerTo(of).MethodByName(name); method {
		return nil, nil, "is a method of Go, which templates cannot call here"
	}
	switch of.Kind() {
	case reflect.Map:
		return []string{name}, of.Elem(), ""
	case reflect.Struct:
		field, ok := of.FieldByName(name)
		if !ok {
			return nil, nil, "does not exist"
		}
		return jsonNames(of, field.Index), field.Type, ""
	default:
		return nil, nil, fmt.Sprintf("does not exist: a %s has no fields", of.Kind())
	}
}

// jsonNames returns the names of a field in JSON, with those of the fields that it is embedded in.
func jsonNames(of shape, index []int) []string {
	var names []string
	for _, i := range index {
		field := of.Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag != "":
			names = append(names, tag)
		case !field.Anonymous:
			names = append(names, field.Name)
		}
		if of = field.Type; of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
	}
	return names
}

// item is the shape of what a loop goes over.
func item(of shape) shape {
	if of == nil {
		return nil
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return of.Elem()
	default:
		return nil
	}
}
