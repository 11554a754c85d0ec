// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/stored"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
)

// maxUnreadableNamed is how many objects the warning of a list names.
const maxUnreadableNamed = 3

// setAside has the stored objects of a kind that cannot be read be set aside, whatever the store is.
func setAside(getter generic.RESTOptionsGetter, example v1beta1.Stored) generic.RESTOptionsGetter {
	kind := reflect.TypeOf(example).Elem().Name() // the types bear the names of the kinds
	return &wrappedOptions{
		RESTOptionsGetter: getter,
		prepare: func(config *storagebackend.ConfigForResource) {
			if config.Transformer == nil {
				config.Transformer = identity.NewEncryptCheckTransformer()
			}
			config.Transformer = stored.SettingAside(config.Transformer, example)
		},
		wrap: func(store storage.Interface, resource schema.GroupResource, _ *storagebackend.ConfigForResource) storage.Interface {
			return &asideStore{Interface: store, resource: resource, kind: schema.GroupKind{Group: resource.Group, Kind: kind}}
		},
	}
}

// asideStore is a store that replaces no object that cannot be read. Each way to write ends here but a dry run.
type asideStore struct {
	storage.Interface
	resource schema.GroupResource
	kind     schema.GroupKind
}

// Create implements storage.Interface.
func (s *asideStore) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if err := s.refuseMark(obj); err != nil {
		return err
	}
	return s.Interface.Create(ctx, key, obj, out, ttl)
}

// GuaranteedUpdate implements storage.Interface.
func (s *asideStore) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, cached runtime.Object,
) error {
	update := func(old runtime.Object, response storage.ResponseMeta) (runtime.Object, *uint64, error) {
		if err := unreadableError(s.resource, old); err != nil {
			return nil, nil, err
		}
		obj, ttl, err := tryUpdate(old, response)
		if err == nil {
			err = s.refuseMark(obj)
		}
		return obj, ttl, err
	}
	return s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, update, cached)
}

// refuseMark refuses the mark of an object that cannot be read on one that is stored.
func (s *asideStore) refuseMark(obj runtime.Object) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	if _, marked := object.GetAnnotations()[v1beta1.UnreadableAnnotation]; !marked {
		return nil
	}
	return apierrors.NewInvalid(s.kind, object.GetName(), field.ErrorList{
		field.Forbidden(field.NewPath("metadata", "annotations").Key(v1beta1.UnreadableAnnotation), "only the server sets it, on an object that it cannot read"),
	})
}

// unreadableError is the error for who asks for an object that cannot be read; nil if it can.
func unreadableError(resource schema.GroupResource, obj runtime.Object) error {
	object, err := meta.Accessor(obj)
	if err != nil || v1beta1.WhyUnreadable(object) == "" {
		return nil //nolint:nilerr // what has no metadata was not stored
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonStoreReadError,
		Details: &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: object.GetName()},
		Message: fmt.Sprintf("%s %q is stored, but cannot be read: %s. Nothing is done for it, and what it is for stays as it is, "+
			"until it is restored, or deleted by a cluster admin", resource, object.GetName(), v1beta1.WhyUnreadable(object)),
	}}
}

// WarnOfUnreadable warns of the objects of a list that cannot be read.
func WarnOfUnreadable(ctx context.Context, resource schema.GroupResource, list runtime.Object) {
	if caller.IsServer(ctx) {
		return
	}
	var names []string
	_ = meta.EachListItem(list, func(obj runtime.Object) error {
		if object, err := meta.Accessor(obj); err == nil && v1beta1.WhyUnreadable(object) != "" {
			names = append(names, fmt.Sprintf("%s (%s)", object.GetName(), v1beta1.WhyUnreadable(object)))
		}
		return nil
	})
	if len(names) == 0 {
		return
	}
	more := ""
	if left := len(names) - maxUnreadableNamed; left > 0 {
		names, more = names[:maxUnreadableNamed], fmt.Sprintf(" and %d more", left)
	}
	warning.AddWarning(ctx, "", fmt.Sprintf("stored %s that cannot be read, for which nothing is done: %s%s",
		resource.Resource, strings.Join(names, ", "), more))
}
