// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

const (
	// writtenFor is longer than the watch cache takes to show a write.
	writtenFor = 10 * time.Second
	// writtenNodes bounds how many nodes are remembered. If one is forgotten early, a create may miss a
	// hold that has just been created.
	writtenNodes = 4096
	// anyVersion lets the watch cache answer a list without waiting.
	anyVersion = "0"
)

// writtenVersions remembers for each node the resource version of the last write to one of its holds,
// for as long as the watch cache may not show that write. So a create waits for the watch cache only if
// another request has just written a hold on the same node.
type writtenVersions struct {
	mu     sync.Mutex
	byNode *cache.LRUExpireCache
}

func newWrittenVersions() *writtenVersions {
	return &writtenVersions{byNode: cache.NewLRUExpireCache(writtenNodes)}
}

// add keeps the newer version: requests may end in another order than they were stored in.
func (w *writtenVersions) add(hold *maintenance.NodeMaintenance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if order, err := resourceversion.CompareResourceVersion(hold.ResourceVersion, w.last(hold.Spec.NodeName)); err == nil && order < 0 {
		return
	}
	w.byNode.Add(hold.Spec.NodeName, hold.ResourceVersion, writtenFor)
}

// last is the version that a list of the node's holds must not be older than.
func (w *writtenVersions) last(node string) string {
	if version, found := w.byNode.Get(node); found {
		return version.(string)
	}
	return anyVersion
}
