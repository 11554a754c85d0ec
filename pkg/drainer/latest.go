// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// latest remembers the answer to our own last write of an object for as long as the cache
// still shows a version that it replaced. A write fails unless it names the present version, and
// what was read past the cache is noted like a write, so a cache that shows any other version
// has caught up.
type latest[T metav1.Object] struct {
	replaced []string
	written  T
}

// wrote notes that a write replaced one version of the object with another.
func (l *latest[T]) wrote(replaced string, written T) {
	l.replaced = append(l.replaced, replaced)
	l.written = written
}

// newest is the newest known version of an object that the cache shows as cached.
func (l *latest[T]) newest(cached T) T {
	if slices.Contains(l.replaced, cached.GetResourceVersion()) && l.written.GetUID() == cached.GetUID() {
		return l.written
	}
	*l = latest[T]{}
	return cached
}
