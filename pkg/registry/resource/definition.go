// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Definition declares one stored resource.
type Definition struct {
	// Group is the API group that the resource belongs to.
	Group string
	// Plural is the resource's name in URLs and in RBAC rules.
	Plural string
	// Singular is the name of one object in kubectl commands.
	Singular string
	// ShortNames are further names for kubectl commands. Optional.
	ShortNames []string
	// Categories are names with which kubectl lists several resources at once. Optional.
	Categories []string

	// New returns an empty object.
	New func() runtime.Object
	// NewList returns an empty list.
	NewList func() runtime.Object

	// Strategy holds the rules for create, update and delete, and says whether
	// the resource is namespaced.
	Strategy rest.CreateUpdateResetFieldsStrategy
	// StatusStrategy holds the rules for writes to the subresource status. If nil, the
	// resource has no such subresource.
	StatusStrategy rest.UpdateResetFieldsStrategy
	// AuthorizeUpdate authorizes each update of an object and of its status once more, with the stored
	// object. If nil, RBAC alone decides.
	AuthorizeUpdate AuthorizeUpdate
	// Redact returns an object as everybody but the server itself sees it: itself, or a changed copy. If nil, all see all.
	Redact func(obj runtime.Object) runtime.Object
	// Bill has users pay for what they write. If nil, they may write any amount.
	Bill *Bill
	// Space knows whether the store has space for new objects. If nil, it always has.
	Space Space
	// Limit is how much users may store. If nil, they may store any amount.
	Limit *Limit
	// SharesRoom says whether the user who makes a request leaves room for others, where the limit knows authors. It is asked
	// only before a refusal. If nil, nobody does.
	SharesRoom func(ctx context.Context) bool
	// Table converts objects to what kubectl prints.
	Table rest.TableConvertor

	// Fields returns the fields of an object that lists and watches can be selected by, besides its name. Optional.
	Fields func(obj runtime.Object) fields.Set
	// IndexedField is the field of Fields for which the watch cache has an index. If empty,
	// there is no index.
	IndexedField string

	// Wrap adds behavior to the storage of the resource. It does not affect subresources.
	// If nil, nothing is added.
	Wrap func(*REST) rest.Storage
}

// validate returns an error for each missing part, so that a mistake in the definition
// shows at start-up, and not as a panic in a request.
func (d *Definition) validate() error {
	missing := func(what string) error {
		return fmt.Errorf("definition of %q lacks %s", d.groupResource(d.Plural), what)
	}
	var errs []error
	if d.Plural == "" || d.Singular == "" {
		errs = append(errs, missing("a plural or a singular name"))
	}
	if d.New == nil || d.NewList == nil {
		errs = append(errs, missing("a constructor of its object or its list"))
	}
	if d.Strategy == nil {
		errs = append(errs, missing("a strategy"))
	}
	if d.Table == nil {
		errs = append(errs, missing("table columns"))
	}
	return errors.Join(errs...)
}

func (d *Definition) groupResource(name string) schema.GroupResource {
	return schema.GroupResource{Group: d.Group, Resource: name}
}
