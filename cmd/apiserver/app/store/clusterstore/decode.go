// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/value"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// content is what an envelope has inside.
type content struct {
	// data is what the codec made.
	data []byte
	// outdated says that the data should be encrypted anew.
	outdated bool
	// repeats is what the envelope repeats of the object outside: labels and fields.
	repeats Envelope
}

// open decrypts what is in an envelope.
func (s *Store) open(ctx context.Context, e Envelope) (content, error) {
	key := s.keyOf(e)
	data, outdated, err := s.Transformer.TransformFromStorage(ctx, e.Data, value.DefaultContext(key))
	if err != nil {
		return content{}, unreadable(key, fmt.Errorf("unable to transform key %q: %w", key, err), storage.IsCorruptObject(err))
	}
	return content{data: data, outdated: outdated, repeats: Envelope{Labels: e.Labels, Fields: e.Fields}}, nil
}

// decode reads the object from data into object, as of a resourceVersion.
func (s *Store) decode(key string, data []byte, resourceVersion string, object runtime.Object) error {
	if _, _, err := s.Codec.Decode(data, nil, object); err != nil {
		return unreadable(key, fmt.Errorf("unable to decode key %q, stored in one of %s: %w", key, s.Kind, err), true)
	}
	version, err := s.versioner.ParseResourceVersion(resourceVersion)
	if err != nil {
		return storage.NewInternalError(fmt.Errorf("unable to decode key %q: %w", key, err))
	}
	return s.versioner.UpdateObject(object, version)
}

// read reads the object of a custom resource into object.
func (s *Store) read(ctx context.Context, u *unstructured.Unstructured, object runtime.Object) (content, error) {
	s.Sizes.set(s.Kind, u.GetNamespace(), u.GetName(), dataBytes(u))
	envelope, _ := Decode(u) // what is no envelope has no data, which is no object either
	inside, err := s.open(ctx, envelope)
	if err != nil {
		return content{}, err
	}
	return inside, s.decode(s.keyOf(envelope), inside.data, envelope.ResourceVersion, object)
}

// unreadable is the error about an envelope that cannot be read. Only a corrupt one may be deleted unread: what
// cannot be decrypted now may be readable later.
func unreadable(key string, err error, corrupt bool) error {
	if corrupt && utilfeature.DefaultFeatureGate.Enabled(features.AllowUnsafeMalformedObjectDeletion) {
		return storage.NewCorruptObjError(key, err)
	}
	return storage.NewInternalError(errors.New(err.Error())) // no longer one about a corrupt object
}

// Get implements storage.Interface.
func (s *Store) Get(ctx context.Context, key string, opts storage.GetOptions, object runtime.Object) error {
	at, err := s.find(key, false)
	if err != nil {
		return err
	}
	u, err := s.in(at.namespace).Get(ctx, at.name, metav1.GetOptions{ResourceVersion: opts.ResourceVersion})
	if err := s.interpret(err, at.key); err != nil {
		if opts.IgnoreNotFound && storage.IsNotFound(err) {
			return runtime.SetZeroValue(object)
		}
		return err
	}
	_, err = s.read(ctx, u, object)
	return err
}
