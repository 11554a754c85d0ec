// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"sync"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxSharedBytes bounds what is kept of all encoded lists together while they are sent. What exceeds it is
// encoded for each request, piece by piece.
const maxSharedBytes = 64 << 20

// sharedLists are the lists that requests have at this moment, by what they show. A list is forgotten
// with the last request that has it.
type sharedLists struct {
	mu     sync.Mutex
	byWhat map[string]*sharedList
	// bytes is how much is kept of the encoded lists.
	bytes int
}

// shareable says whether a list shows all holds that its selectors select, in the latest version, and so
// shows the same to all who ask for it.
func shareable(options *metainternalversion.ListOptions) bool {
	if options == nil {
		return false
	}
	others := *options
	others.LabelSelector, others.FieldSelector = nil, nil
	return others == metainternalversion.ListOptions{}
}

// join returns the list as another request has it at this moment, else as it is, for as long as the request
// lasts. A list is the same if the revision of the store and the selectors are.
func (s *sharedLists) join(ctx context.Context, options *metainternalversion.ListOptions, list *v1beta1.NodeMaintenanceList) *sharedList {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := what(options, list.ResourceVersion)
	if s.byWhat[key] == nil {
		if s.byWhat == nil {
			s.byWhat = map[string]*sharedList{}
		}
		s.byWhat[key] = &sharedList{NodeMaintenanceList: list, lists: s}
	}
	return s.give(ctx, key)
}

// find returns the list that another request has at this moment; nil when none has it.
func (s *sharedLists) find(ctx context.Context, options *metainternalversion.ListOptions, resourceVersion string) *sharedList {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := what(options, resourceVersion)
	if s.byWhat[key] == nil {
		return nil
	}
	return s.give(ctx, key)
}

// give counts the request as one that has the list until its context ends, as it does with the request.
func (s *sharedLists) give(ctx context.Context, key string) *sharedList {
	list := s.byWhat[key]
	list.requests++
	context.AfterFunc(ctx, func() { s.takeBack(key, list) })
	return list
}

func (s *sharedLists) takeBack(key string, list *sharedList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list.requests--; list.requests == 0 {
		s.bytes -= list.bytes
		list.bytes = 0
		delete(s.byWhat, key)
	}
}

// none says that no request has a list.
func (s *sharedLists) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byWhat) == 0
}

// wanted says whether more than one request has the list at this moment.
func (s *sharedLists) wanted(list *sharedList) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return list.requests > 1
}

// reserve says whether so many more bytes may be kept of the list. Nothing more is kept of a list that no
// request has. A negative number gives back what was reserved.
func (s *sharedLists) reserve(list *sharedList, bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list.requests == 0 || bytes > 0 && s.bytes+bytes > maxSharedBytes {
		return false
	}
	s.bytes += bytes
	list.bytes += bytes
	return true
}

// what is what a list shows.
func what(options *metainternalversion.ListOptions, resourceVersion string) string {
	return fmt.Sprintf("%s %q %q", resourceVersion, options.LabelSelector, options.FieldSelector)
}
