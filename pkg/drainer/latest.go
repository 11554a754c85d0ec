// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// latest remembers the answer to our own last write of an object for as long as the cache still shows a
// version that it replaced. What was read from the API server itself is recorded like a write. A write
// fails unless it names the present version. So a cache that shows any other version has caught up.
type latest[T metav1.Object] struct {
	replaced []string
	written  T
}

// wrote notes that a write replaced one version of the object with another.
func (l *latest[T]) wrote(replaced string, written T) {
	l.replaced = append(l.replaced, replaced)
	l.written = written
}

// newest returns the newest known version of an object. cached is the version in the cache.
func (l *latest[T]) newest(cached T) T {
	if slices.Contains(l.replaced, cached.GetResourceVersion()) && l.written.GetUID() == cached.GetUID() {
		return l.written
	}
	*l = latest[T]{}
	return cached
}
