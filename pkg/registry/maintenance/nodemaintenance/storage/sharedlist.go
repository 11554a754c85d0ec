// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"weak"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// maxSharedBytes bounds what is kept of an encoded list while it is sent. Larger lists are encoded for
// each request, piece by piece.
const maxSharedBytes = 64 << 20

var errTooLargeToShare = errors.New("the list is too large to share")

// sharedLists are the lists that requests have at this moment, by what they show. A list is forgotten
// with the last request that has it.
type sharedLists struct {
	mu     sync.Mutex
	byWhat map[string]weak.Pointer[sharedList]
}

// join returns the list as a request before has it that is not over yet, else as it is. A list is the
// same if the revision of the store and the query are.
func (s *sharedLists) join(options *metainternalversion.ListOptions, list *maintenance.NodeMaintenanceList) *sharedList {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared := s.had(options, list.ResourceVersion); shared != nil {
		return shared
	}
	s.drop()
	if s.byWhat == nil {
		s.byWhat = map[string]weak.Pointer[sharedList]{}
	}
	shared := &sharedList{NodeMaintenanceList: list}
	s.byWhat[what(options, list.ResourceVersion)] = weak.Make(shared)
	return shared
}

// find returns the list that a request has; nil when none has it.
func (s *sharedLists) find(options *metainternalversion.ListOptions, resourceVersion string) *sharedList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.had(options, resourceVersion)
}

func (s *sharedLists) had(options *metainternalversion.ListOptions, resourceVersion string) *sharedList {
	shared := s.byWhat[what(options, resourceVersion)].Value()
	if shared != nil {
		shared.wanted.Store(true)
	}
	return shared
}

// none says that no request has a list.
func (s *sharedLists) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	return len(s.byWhat) == 0
}

// drop forgets the lists that no request has any more.
func (s *sharedLists) drop() {
	for what, pointer := range s.byWhat {
		if pointer.Value() == nil {
			delete(s.byWhat, what)
		}
	}
}

// what is what a list shows.
func what(options *metainternalversion.ListOptions, resourceVersion string) string {
	return fmt.Sprintf("%s %d %q %q %q", resourceVersion, options.Limit, options.Continue, options.LabelSelector, options.FieldSelector)
}

// sharedList is a list that is encoded once for all requests that have it. It is a
// runtime.CacheableObject. To all but an encoder it is the list.
type sharedList struct {
	*maintenance.NodeMaintenanceList
	// wanted says that more than one request has had it.
	wanted atomic.Bool

	// mu is held while the list is encoded, so that the others wait for it.
	mu      sync.Mutex
	encoded map[runtime.Identifier][]byte
}

var _ runtime.CacheableObject = (*sharedList)(nil)

// GetObject implements runtime.CacheableObject.
func (l *sharedList) GetObject() runtime.Object { return l.NodeMaintenanceList }

// CacheEncode implements runtime.CacheableObject. The list of a single request is written as it is
// encoded, since it is not needed again.
func (l *sharedList) CacheEncode(id runtime.Identifier, encode func(runtime.Object, io.Writer) error, w io.Writer) error {
	if l.wanted.Load() {
		encoded, err := l.encode(id, encode)
		if err == nil {
			_, err = w.Write(encoded)
		}
		if !errors.Is(err, errTooLargeToShare) {
			return err
		}
	}
	own := *l.NodeMaintenanceList
	return encode(&own, w)
}

func (l *sharedList) encode(id runtime.Identifier, encode func(runtime.Object, io.Writer) error) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if encoded, known := l.encoded[id]; known {
		if encoded == nil {
			return nil, errTooLargeToShare
		}
		return encoded, nil
	}
	if l.encoded == nil {
		l.encoded = map[runtime.Identifier][]byte{}
	}
	var bounded boundedBuffer
	own := *l.NodeMaintenanceList
	err := encode(&own, &bounded)
	switch {
	case err == nil:
		l.encoded[id] = bounded.buffer.Bytes()
	case errors.Is(err, errTooLargeToShare):
		l.encoded[id] = nil // so that no one else tries
	}
	return l.encoded[id], err
}

// boundedBuffer takes at most maxSharedBytes.
type boundedBuffer struct{ buffer bytes.Buffer }

// Write implements io.Writer.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > maxSharedBytes {
		return 0, errTooLargeToShare
	}
	return b.buffer.Write(p)
}
