// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/client-go/dynamic"
)

var _ storage.Interface = (*Store)(nil)

// Config is what a Store is made from.
type Config struct {
	// Client is for the cluster that stores the envelopes. It should not limit the rate of requests: each answers a
	// request of a user, and those are limited.
	Client dynamic.Interface
	// Kind is the kind of the envelopes.
	Kind Kind
	// Codec makes the stored bytes.
	Codec runtime.Codec
	// Transformer encrypts them. Default: not at all.
	Transformer value.Transformer
	// Prefix begins every key, such as /maintenance.medik8s.io/nodemaintenances.
	Prefix string
	// New returns an empty object, for bookmarks.
	New func() runtime.Object
	// Sizes learn how large the envelopes are. Optional.
	Sizes *Sizes
	// Attributes returns an object's fields that lists select by.
	Attributes storage.AttrFunc
}

// Store stores the objects of one resource. It is safe for concurrent use.
type Store struct {
	Config
	versioner storage.APIObjectVersioner

	// watching are the goroutines of the open watches, which live ends.
	watching sync.WaitGroup
	live     context.Context //nolint:containedctx // ends with Close, while a watch has the context of its request
	end      context.CancelFunc
}

// New returns a store. Close ends it.
func New(c Config) *Store {
	c.Prefix = strings.TrimSuffix(c.Prefix, "/") + "/"
	if c.Transformer == nil {
		c.Transformer = identity.NewEncryptCheckTransformer()
	}
	s := &Store{Config: c}
	s.live, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends every watch, and returns when that is done.
func (s *Store) Close() {
	s.end()
	s.watching.Wait()
}

// Versioner implements storage.Interface.
func (s *Store) Versioner() storage.Versioner { return s.versioner }

// ReadinessCheck implements storage.Interface. There is no cache that must be filled.
func (s *Store) ReadinessCheck() error { return nil }

// RequestWatchProgress implements storage.Interface. Only a cache in front asks for it, and there is none.
func (s *Store) RequestWatchProgress(context.Context) error { return nil }

// CompactRevision implements storage.Interface. The cluster keeps its history by itself.
func (s *Store) CompactRevision() int64 { return 0 }

// EnableResourceSizeEstimation implements storage.Interface. Only a cache in front asks for it.
func (s *Store) EnableResourceSizeEstimation(storage.KeysFunc) error {
	return errors.New("the cluster does not tell the sizes of what it stores")
}

// GetCurrentResourceVersion implements storage.Interface.
func (s *Store) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	list, err := s.in("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, s.interpret(err, s.Prefix)
	}
	return s.versioner.ParseResourceVersion(list.GetResourceVersion())
}

// Stats implements storage.Interface. It does not estimate sizes.
func (s *Store) Stats(ctx context.Context) (storage.Stats, error) {
	list, err := s.in("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return storage.Stats{}, s.interpret(err, s.Prefix)
	}
	count := int64(len(list.Items))
	if rest := list.GetRemainingItemCount(); rest != nil {
		count += *rest
	}
	return storage.Stats{ObjectCount: count}, nil
}

// in returns the client for the envelopes of a namespace; of all, where it is empty.
func (s *Store) in(namespace string) dynamic.ResourceInterface {
	envelopes := s.Client.Resource(s.Kind.GVR())
	if namespace == "" {
		return envelopes
	}
	return envelopes.Namespace(namespace)
}

// String names the envelopes in errors.
func (k Kind) String() string { return fmt.Sprintf("%s.%s", k.Resource, GroupVersion.Group) }
