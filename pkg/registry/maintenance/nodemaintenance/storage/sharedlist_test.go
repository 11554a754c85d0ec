// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

func listOf(version string) *maintenance.NodeMaintenanceList {
	return &maintenance.NodeMaintenanceList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
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
	first := lists.join(selected("a=b"), listOf("1"))
	tests := map[string]struct {
		options *metainternalversion.ListOptions
		version string
		want    bool
	}{
		"the same":         {options: selected("a=b"), version: "1", want: true},
		"a later revision": {options: selected("a=b"), version: "2"},
		"another selector": {options: selected("a=c"), version: "1"},
		"a page":           {options: &metainternalversion.ListOptions{LabelSelector: selected("a=b").LabelSelector, Limit: 1}, version: "1"},
	}
	for name, test := range tests {
		if got := lists.join(test.options, listOf(test.version)) == first; got != test.want {
			t.Errorf("%s: shared is %t, want %t", name, got, test.want)
		}
	}
	runtime.KeepAlive(first)
}

// Without a request that has it, nothing is kept of a list.
func TestListsAreForgotten(t *testing.T) {
	var lists sharedLists
	lists.join(&metainternalversion.ListOptions{}, listOf("1"))
	runtime.GC()
	lists.join(&metainternalversion.ListOptions{}, listOf("2"))
	if len(lists.byWhat) != 1 {
		t.Errorf("%d lists are kept", len(lists.byWhat))
	}
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
				joined[i] = lists.join(&metainternalversion.ListOptions{}, listOf("1"))
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
	list := lists.join(&metainternalversion.ListOptions{}, listOf("1"))
	lists.join(&metainternalversion.ListOptions{}, listOf("1"))
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
	if e.calls != 2 {
		t.Errorf("encoded %d times, want once for each of 2", e.calls)
	}
}
