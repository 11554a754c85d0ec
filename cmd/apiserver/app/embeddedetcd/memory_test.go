// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// What was written once is not kept in memory, and does not come back after a restart.
func TestMemoryAfterWrites(t *testing.T) {
	const (
		writes = 500
		bytes  = 64 << 10
		// most is a part of all that is written, and more than the writes that etcd keeps.
		most = writes * bytes / 3
	)
	dir := filepath.Join(t.TempDir(), "d")
	first := mustStart(t, dir)
	before := liveHeap()
	withClient(t, first, func(ctx context.Context, client *clientv3.Client) {
		value := strings.Repeat("x", bytes)
		for range writes {
			if _, err := client.Put(ctx, "same", value); err != nil {
				t.Fatal(err)
			}
		}
	})
	if grown := liveHeap() - before; grown > most {
		t.Errorf("the heap grew by %d bytes, want %d at most", grown, most)
	}
	first.Stop()

	second := mustStart(t, dir)
	defer second.Stop()
	if grown := liveHeap() - before; grown > most {
		t.Errorf("after a restart the heap is larger by %d bytes, want %d at most", grown, most)
	}
}

// liveHeap is how many bytes the heap has after a collection.
func liveHeap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
