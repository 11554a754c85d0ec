// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ShortNamesProvider
	rest.CategoriesProvider
	rest.TableConvertor
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
	rest.StorageWithReadiness
} = (*REST)(nil)

// REST serves the objects of one resource from the store.
type REST struct {
	*genericregistry.Store

	shortNames []string
	categories []string
}

// ShortNames implements rest.ShortNamesProvider.
func (r *REST) ShortNames() []string { return r.shortNames }

// Categories implements rest.CategoriesProvider.
func (r *REST) Categories() []string { return r.categories }
