// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/storage"
)

// place is where the envelopes of a key are.
type place struct {
	// key is the whole key, for errors.
	key string
	// namespace is empty where the kind has none, or for all of them.
	namespace string
	// name is empty for all envelopes of the namespace. Below the key of an object is nothing: there the name ends
	// with a slash, so that no envelope has it.
	name string
}

// find returns the place of a key; of a prefix of keys, if it is recursive.
func (s *Store) find(key string, recursive bool) (place, error) {
	key, err := storage.PrepareKey(s.Prefix, key, recursive)
	if err != nil {
		return place{}, err
	}
	found := place{key: key, name: strings.TrimPrefix(key, s.Prefix)}
	if s.Kind.Namespaced {
		found.namespace, found.name, _ = strings.Cut(found.name, "/")
	}
	if !recursive && (strings.Contains(found.name, "/") || found.name == "") {
		return place{}, fmt.Errorf("invalid key: %q does not name one of %s", key, s.Kind)
	}
	return found, nil
}

// keyOf returns the key of the object in an envelope.
func (s *Store) keyOf(e Envelope) string {
	if e.Namespace == "" {
		return s.Prefix + e.Name
	}
	return s.Prefix + e.Namespace + "/" + e.Name
}
