// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// countedPage is how many envelopes are read at a time to count them anew.
const countedPage = 500

// Sizes are how large the data of the envelopes is, as all stores of this process have read them last: each watches what it
// stores anyway. A deletion that no watch has told of counts until Recount.
type Sizes struct {
	mu    sync.Mutex
	of    map[string]int
	total int64
}

// Total is how large all envelopes are together, in bytes.
func (s *Sizes) Total() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// set takes notice of an envelope with so many bytes; 0: it is gone.
func (s *Sizes) set(kind Kind, namespace, name string, bytes int) {
	if s == nil {
		return
	}
	key := kind.Resource + "/" + namespace + "/" + name
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.total += int64(bytes - s.of[key])
	if s.of[key] = bytes; bytes == 0 {
		delete(s.of, key)
	}
}

// Recount reads all envelopes, and forgets those that are gone. It costs the cluster as much as a list of all of them.
func (s *Sizes) Recount(ctx context.Context, client dynamic.Interface) error {
	fresh := &Sizes{}
	for _, kind := range kinds {
		options := metav1.ListOptions{Limit: countedPage}
		for {
			page, err := client.Resource(kind.GVR()).List(ctx, options)
			if err != nil {
				return err
			}
			for i := range page.Items {
				fresh.set(kind, page.Items[i].GetNamespace(), page.Items[i].GetName(), dataBytes(&page.Items[i]))
			}
			if options.Continue = page.GetContinue(); options.Continue == "" {
				break
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of, s.total = fresh.of, fresh.total
	return nil
}

// dataBytes is how large the data of an envelope is, as the cluster stores it.
func dataBytes(u *unstructured.Unstructured) int {
	data, _, _ := unstructured.NestedString(u.Object, "data")
	return len(data)
}
