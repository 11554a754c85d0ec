// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func listOf(version string) *v1beta1.NodeMaintenanceList {
	return &v1beta1.NodeMaintenanceList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
}

// encoder writes some bytes, and counts how often.
type encoder struct {
	mu    sync.Mutex
	calls int
	bytes int
}

func (e *encoder) encode(_ kruntime.Object, w io.Writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	_, err := w.Write(make([]byte, e.bytes))
	return err
}

func TestSameListsAreShared(t *testing.T) {
	selected := func(text string) *metainternalversion.ListOptions {
		selector, err := labels.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return &metainternalversion.ListOptions{LabelSelector: selector}
	}
	var lists sharedLists
	first := lists.join(t.Context(), selected("a=b"), listOf("1"))
	tests := map[string]struct {
		options *metainternalversion.ListOptions
		version string
		want    bool
	}{
		"the same":         {options: selected("a=b"), version: "1", want: true},
		"a later revision": {options: selected("a=b"), version: "2"},
		"another selector": {options: selected("a=c"), version: "1"},
	}
	for name, test := range tests {
		if got := lists.join(t.Context(), test.options, listOf(test.version)) == first; got != test.want {
			t.Errorf("%s: shared is %t, want %t", name, got, test.want)
		}
	}
}

// Only whole lists are shared, and only if the store had to be asked for the latest.
func TestShareable(t *testing.T) {
	tests := map[string]struct {
		options *metainternalversion.ListOptions
		want    bool
	}{
		"no options":    {},
		"everything":    {options: &metainternalversion.ListOptions{}, want: true},
		"selected":      {options: &metainternalversion.ListOptions{LabelSelector: labels.Nothing(), FieldSelector: fields.Everything()}, want: true},
		"a page":        {options: &metainternalversion.ListOptions{Limit: 1}},
		"the next page": {options: &metainternalversion.ListOptions{Continue: "x"}},
		"any version":   {options: &metainternalversion.ListOptions{ResourceVersion: "0"}},
		"a shard":       {options: &metainternalversion.ListOptions{ShardSelector: "x"}},
	}
	for name, test := range tests {
		if got := shareable(test.options); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}

// The library changes an empty list that it is to encode, so that each request needs one of its own.
func TestEmptyListsAreNotShared(t *testing.T) {
	storage := newTestStorage(t)
	ctx, _ := requestBy(alice)
	list := func() kruntime.Object {
		listed, err := storage.List(ctx, &metainternalversion.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return listed
	}
	if list() == list() {
		t.Error("two requests share an empty list")
	}
	storage.create(t, alice, newHold("first", "worker-1"))
	if list() != list() {
		t.Error("two requests do not share a list that is not empty")
	}
}

// request is a request that has a list until it ends.
func (s *sharedLists) request(t *testing.T, version string) (list *sharedList, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	list = s.join(ctx, &metainternalversion.ListOptions{}, listOf(version))
	return list, cancel
}

// With the last request that has it, a list is forgotten. Who comes later has to encode it for itself alone.
func TestListsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists sharedLists
		list, end := lists.request(t, "1")
		_, endOther := lists.request(t, "1")
		e := &encoder{bytes: 10}
		if err := list.CacheEncode("json", e.encode, io.Discard); err != nil || lists.bytes < e.bytes {
			t.Fatalf("%d bytes are kept of %d, error %v", lists.bytes, e.bytes, err)
		}
		end()
		synctest.Wait()
		if lists.none() || lists.wanted(list) {
			t.Error("want the list known to the request that has it, and to no other")
		}
		endOther()
		synctest.Wait()
		if !lists.none() || lists.bytes != 0 {
			t.Errorf("%d lists and %d bytes are kept", len(lists.byWhat), lists.bytes)
		}
		if err := list.CacheEncode("yaml", e.encode, io.Discard); err != nil || lists.bytes != 0 {
			t.Errorf("%d bytes are kept for a request that has ended, error %v", lists.bytes, err)
		}
	})
}

// All lists together are bounded. A list for which there is no room is sent all the same.
func TestSharedBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists sharedLists
		e := &encoder{bytes: maxSharedBytes / 3}
		var ends []func()
		for i := range 5 {
			list, end := lists.request(t, strconv.Itoa(i))
			_, endOther := lists.request(t, strconv.Itoa(i))
			ends = append(ends, end, endOther)
			var got bytes.Buffer
			if err := list.CacheEncode("json", e.encode, &got); err != nil || got.Len() != e.bytes {
				t.Errorf("list %d: got %d bytes, error %v", i, got.Len(), err)
			}
			if lists.bytes > maxSharedBytes || lists.bytes < e.bytes {
				t.Errorf("%d bytes are kept after %d lists", lists.bytes, i+1)
			}
		}
		for _, end := range ends {
			end()
		}
		synctest.Wait()
		if lists.bytes != 0 {
			t.Errorf("%d bytes are kept without a request", lists.bytes)
		}
	})
}

func TestSharedListIsEncodedOnce(t *testing.T) {
	tests := map[string]struct {
		requests, bytes, wantCalls int
	}{
		"one request":                {requests: 1, bytes: 10, wantCalls: 1},
		"several":                    {requests: 20, bytes: 10, wantCalls: 1},
		"several, too large to keep": {requests: 3, bytes: maxSharedBytes + 1, wantCalls: 4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var lists sharedLists
			joined := make([]*sharedList, test.requests)
			for i := range joined {
				joined[i] = lists.join(t.Context(), &metainternalversion.ListOptions{}, listOf("1"))
			}
			e := &encoder{bytes: test.bytes}
			var running sync.WaitGroup
			for _, list := range joined {
				running.Go(func() {
					var got bytes.Buffer
					if err := list.CacheEncode("json", e.encode, &got); err != nil || got.Len() != test.bytes {
						t.Errorf("got %d bytes, error %v", got.Len(), err)
					}
				})
			}
			running.Wait()
			if e.calls != test.wantCalls {
				t.Errorf("encoded %d times, want %d", e.calls, test.wantCalls)
			}
		})
	}
}

// Each encoding is kept by itself, and an error is not kept.
func TestEncodingsOfASharedList(t *testing.T) {
	var lists sharedLists
	list := lists.join(t.Context(), &metainternalversion.ListOptions{}, listOf("1"))
	lists.join(t.Context(), &metainternalversion.ListOptions{}, listOf("1"))
	fails := func(kruntime.Object, io.Writer) error { return errors.ErrUnsupported }
	if err := list.CacheEncode("json", fails, io.Discard); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
	e := &encoder{bytes: 1}
	for _, id := range []kruntime.Identifier{"json", "yaml", "json"} {
		if err := list.CacheEncode(id, e.encode, io.Discard); err != nil {
			t.Error(err)
		}
	}
	if e.calls != 2 || lists.bytes > 1024 {
		t.Errorf("encoded %d times, want once for each of 2; %d bytes are kept", e.calls, lists.bytes)
	}
}
