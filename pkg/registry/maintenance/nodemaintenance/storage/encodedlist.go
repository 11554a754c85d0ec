// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var errTooLargeToShare = errors.New("the list is too large to share")

// sharedList is a list that is encoded once for all requests that have it. It is a
// runtime.CacheableObject. To all but an encoder it is the list.
type sharedList struct {
	*v1beta1.NodeMaintenanceList
	lists *sharedLists
	// requests is how many have it at this moment, and bytes how much is kept of it. The lock of lists
	// protects them.
	requests, bytes int

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
	if l.lists.wanted(l) {
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
	bounded := boundedBuffer{list: l}
	own := *l.NodeMaintenanceList
	err := encode(&own, &bounded)
	switch {
	case err == nil:
		l.encoded[id] = bounded.buffer.Bytes()
		return l.encoded[id], nil
	case errors.Is(err, errTooLargeToShare):
		l.encoded[id] = nil // so that no one else tries
	}
	bounded.giveBack()
	return nil, err
}

// boundedBuffer takes no more than may be kept of all lists.
type boundedBuffer struct {
	list     *sharedList
	buffer   bytes.Buffer
	reserved int
}

// Write implements io.Writer.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	n, err := b.buffer.Write(p)
	more := b.buffer.Cap() - b.reserved
	if !b.list.lists.reserve(b.list, more) {
		return 0, errTooLargeToShare
	}
	b.reserved += more
	return n, err
}

func (b *boundedBuffer) giveBack() { b.list.lists.reserve(b.list, -b.reserved) }
