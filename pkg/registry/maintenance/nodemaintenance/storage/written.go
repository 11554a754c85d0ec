// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/lru"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// writtenNodes bounds how many nodes are remembered. If one is forgotten before the watch cache shows
	// its last write, a create may miss a hold that has just been created.
	writtenNodes = 4096
	// anyVersion lets the watch cache answer a list without waiting.
	anyVersion = "0"
)

// writtenVersions remembers for each node the resource version of the last write to one of its holds. So
// a create waits for the watch cache only if another request has just written a hold on the same node. A
// version is not forgotten for its age: the watch cache may be late by any time, and once it shows the
// write, a create does not wait.
type writtenVersions struct {
	mu     sync.Mutex
	byNode *lru.Cache
}

func newWrittenVersions() *writtenVersions {
	return &writtenVersions{byNode: lru.New(writtenNodes)}
}

// add keeps the newer version: requests may end in another order than they were stored in.
func (w *writtenVersions) add(hold *v1beta1.NodeMaintenance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if order, err := resourceversion.CompareResourceVersion(hold.ResourceVersion, w.last(hold.Spec.NodeName)); err == nil && order < 0 {
		return
	}
	w.byNode.Add(hold.Spec.NodeName, hold.ResourceVersion)
}

// last is the version that a list of the node's holds must not be older than.
func (w *writtenVersions) last(node string) string {
	if version, found := w.byNode.Get(node); found {
		return version.(string)
	}
	return anyVersion
}

// forgetLost forgets a version of a node if the store has not come that far, as its current version
// says: it was restored to an older state, and nobody needs to wait for what it has lost.
func (w *writtenVersions) forgetLost(node, version, current string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	order, err := resourceversion.CompareResourceVersion(version, current)
	if err == nil && order > 0 && w.last(node) == version { // a later write may be newer than current
		w.byNode.Remove(node)
	}
}
