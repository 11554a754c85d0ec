// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/value"
)

// encode returns the bytes to store of an object. It changes the object: what the store itself keeps is taken off.
func (s *Store) encode(object runtime.Object) ([]byte, error) {
	if err := s.versioner.PrepareObjectForStorage(object); err != nil {
		return nil, fmt.Errorf("could not prepare the object to be stored: %w", err)
	}
	return runtime.Encode(s.Codec, object)
}

// envelop puts an object, encoded as data, into an envelope.
func (s *Store) envelop(ctx context.Context, at place, object runtime.Object, data []byte) (*unstructured.Unstructured, error) {
	envelope, err := s.outside(at, object)
	if err != nil {
		return nil, err
	}
	if envelope.Data, err = s.Transformer.TransformToStorage(ctx, data, value.DefaultContext(s.keyOf(envelope))); err != nil {
		return nil, storage.NewInternalError(err)
	}
	return envelope.Encode(s.Kind), nil
}

// outside returns the envelope of an object, without data.
func (s *Store) outside(at place, object runtime.Object) (Envelope, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return Envelope{}, err
	}
	_, fields, err := s.Attributes(object)
	if err != nil {
		return Envelope{}, err
	}
	return Envelope{Namespace: at.namespace, Name: at.name, Labels: accessor.GetLabels(), Fields: s.Kind.repeated(fields)}, nil
}

// Create implements storage.Interface. Nothing is stored for a limited time, so ttl must be 0.
func (s *Store) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	at, err := s.find(key, false)
	if err != nil {
		return err
	}
	if ttl != 0 {
		return errTTL
	}
	if version, err := s.versioner.ObjectResourceVersion(object); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	data, err := s.encode(object)
	if err != nil {
		return err
	}
	return s.create(ctx, at, object, data, out)
}

func (s *Store) create(ctx context.Context, at place, object runtime.Object, data []byte, out runtime.Object) error {
	envelope, err := s.envelop(ctx, at, object, data)
	if err != nil {
		return err
	}
	created, err := s.in(at.namespace).Create(ctx, envelope, metav1.CreateOptions{})
	if err != nil {
		return s.interpret(err, at.key)
	}
	s.Sizes.set(s.Kind, at.namespace, at.name, dataBytes(envelope))
	if out == nil {
		return nil
	}
	return s.decode(at.key, data, created.GetResourceVersion(), out)
}
