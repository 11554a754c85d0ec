// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	smallQuota = 16 << 20
	// valueBytes is small beside the quota, so that a full store is as full as can be.
	valueBytes = 64 << 10
)

// fill writes until the store is full.
func fill(t *testing.T, server *Server, key func(i int) string) {
	t.Helper()
	value := strings.Repeat("x", valueBytes)
	withClient(t, server, func(ctx context.Context, client *clientv3.Client) {
		for i := range 4 * smallQuota / valueBytes {
			if _, err := client.Put(ctx, key(i), value); err != nil {
				if !strings.Contains(err.Error(), "database space exceeded") {
					t.Fatalf("Put: %v", err)
				}
				return
			}
		}
		t.Fatal("the store is not full")
	})
}

func TestFullStore(t *testing.T) {
	tests := map[string]struct {
		key     func(i int) string
		quota   int64
		wantErr string
	}{
		"of old versions":        {key: func(int) string { return "same" }, quota: smallQuota},
		"with a larger quota":    {key: func(i int) string { return fmt.Sprint(i) }, quota: 2 * smallQuota},
		"with a quota too small": {key: func(i int) string { return fmt.Sprint(i) }, quota: smallQuota / 2, wantErr: "raise --embedded-etcd-quota-bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			first, err := Start(t.Context(), testConfig(dir, smallQuota))
			if err != nil {
				t.Fatal(err)
			}
			fill(t, first, test.key)
			first.Stop()

			second, err := Start(t.Context(), testConfig(dir, test.quota))
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("Start = %v, want an error with %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer second.Stop()
			withClient(t, second, func(ctx context.Context, client *clientv3.Client) {
				if _, err := client.Put(ctx, "after", "value"); err != nil {
					t.Errorf("Put: %v", err)
				}
			})
		})
	}
}

// A running store that has reached its quota takes writes again when what nobody needs is thrown
// away, and one that is full of what is needed does not.
func TestReclaim(t *testing.T) {
	tests := map[string]struct {
		key     func(i int) string
		deleted int // how many keys are deleted after the store was full
		wantErr string
	}{
		"of old versions": {key: func(int) string { return "same" }},
		"of deleted keys": {key: func(i int) string { return fmt.Sprint(i) }, deleted: smallQuota / valueBytes / 2},
		"of what is used": {key: func(i int) string { return fmt.Sprint(i) }, wantErr: "raise --embedded-etcd-quota-bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server, err := Start(t.Context(), testConfig(filepath.Join(t.TempDir(), "d"), smallQuota))
			if err != nil {
				t.Fatal(err)
			}
			defer server.Stop()
			fill(t, server, test.key)
			if test.wantErr != "" {
				server.quotaBytes /= 2 // what is used is surely more, however well it is packed
			}
			withClient(t, server, func(ctx context.Context, client *clientv3.Client) {
				for i := range test.deleted {
					if _, err := client.Delete(ctx, test.key(i)); err != nil {
						t.Fatalf("Delete: %v", err)
					}
				}
				_, err := server.Reclaim(ctx, true)
				if test.wantErr != "" {
					if err == nil || !strings.Contains(err.Error(), test.wantErr) {
						t.Errorf("Reclaim = %v, want an error with %q", err, test.wantErr)
					}
					return
				}
				if err != nil {
					t.Fatalf("Reclaim: %v", err)
				}
				if _, err := client.Put(ctx, "after", "value"); err != nil {
					t.Errorf("Put: %v", err)
				}
			})
		})
	}
}

// A store that is not nearly full keeps its old versions.
func TestReclaimLeavesOldVersions(t *testing.T) {
	server := mustStart(t, filepath.Join(t.TempDir(), "d"))
	defer server.Stop()
	withClient(t, server, func(ctx context.Context, client *clientv3.Client) {
		first, err := client.Put(ctx, "key", "old")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Put(ctx, "key", "new"); err != nil {
			t.Fatal(err)
		}
		if tried, err := server.Reclaim(ctx, true); tried || err != nil {
			t.Fatalf("Reclaim = %t, %v", tried, err)
		}
		got, err := client.Get(ctx, "key", clientv3.WithRev(first.Header.Revision))
		if err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "old" {
			t.Errorf("Get of the old version = %v, %v", got, err)
		}
	})
}

// Old versions are removed by how much is written, not only by the clock. Who watches misses nothing.
func TestReclaimFollowsWrites(t *testing.T) {
	server := mustStart(t, filepath.Join(t.TempDir(), "d"))
	defer server.Stop()
	withClient(t, server, func(ctx context.Context, client *clientv3.Client) {
		value := strings.Repeat("x", valueBytes)
		first, err := client.Put(ctx, "same", value)
		if err != nil {
			t.Fatal(err)
		}
		watch := client.Watch(ctx, "same", clientv3.WithRev(first.Header.Revision+1))
		const writes = testQuota / growth / valueBytes * 3 // of which each third makes the store grow too much
		var most int64
		for range writes {
			if _, err := client.Put(ctx, "same", value); err != nil {
				t.Fatal(err)
			}
			server.etcd.Server.Backend().ForceCommit() // the size is that of the last commit
			most = max(most, server.etcd.Server.Backend().SizeInUse())
			if tried, err := server.Reclaim(ctx, true); tried || err != nil {
				t.Fatalf("Reclaim = %t, %v; want nothing that requests wait for", tried, err)
			}
		}
		if want := int64(2 * testQuota / growth); most > want {
			t.Errorf("%d bytes were in use, want %d at most", most, want)
		}
		if _, err := client.Get(ctx, "same", clientv3.WithRev(first.Header.Revision)); !errors.Is(err, rpctypes.ErrCompacted) {
			t.Errorf("Get of the old version = %v, want it removed", err)
		}
		last := first.Header.Revision + writes
		if _, err := client.Get(ctx, "same", clientv3.WithRev(last-recentCalls+1)); err != nil {
			t.Errorf("Get of a recent version: %v, want it kept", err)
		}
		for seen := 0; seen < writes; {
			response, ok := <-watch
			if err := response.Err(); !ok || err != nil {
				t.Fatalf("the watch ended after %d of %d events: %v", seen, writes, err)
			}
			seen += len(response.Events)
		}
	})
}

// Deletes of large holds write each of them once more, and a store that is nearly full takes that, even if
// nothing that requests wait for may be done.
func TestReclaimNearTheQuota(t *testing.T) {
	const quota = 4 * smallQuota // else the pages that a commit copies are much of what is left
	server, err := Start(t.Context(), testConfig(filepath.Join(t.TempDir(), "d"), quota))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	const keys = quota / 100 * NearlyFullPercent / valueBytes * 9 / 10
	value := strings.Repeat("x", valueBytes)
	withClient(t, server, func(ctx context.Context, client *clientv3.Client) {
		for i := range 2 * keys {
			if _, err := client.Put(ctx, fmt.Sprint(i%keys), value); err != nil {
				t.Fatalf("write %d: %v", i, err)
			}
			if i%8 > 0 {
				continue
			}
			server.etcd.Server.Backend().ForceCommit() // the size is that of the last commit
			if tried, err := server.Reclaim(ctx, false); tried || err != nil {
				t.Fatalf("Reclaim = %t, %v; want nothing that requests wait for", tried, err)
			}
		}
	})
}

// Old versions that could not be removed are removed later, and a full store is helped all the same.
func TestReclaimGoesOnAfterAnError(t *testing.T) {
	server, err := Start(t.Context(), testConfig(filepath.Join(t.TempDir(), "d"), smallQuota))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	fill(t, server, func(int) string { return "same" })
	server.quotaBytes *= 2 // so that only what is not recent is removed at first
	server.leastUsed = 0
	server.recent = []int64{math.MaxInt64} // a revision that the store does not have
	if tried, err := server.Reclaim(t.Context(), true); !tried || err != nil {
		t.Errorf("Reclaim = %t, %v; want the space of old versions to be freed", tried, err)
	}
	if server.leastUsed != 0 {
		t.Errorf("what is in use counts from %d bytes on, although no old revision was removed", server.leastUsed)
	}
}

// A store that is nearly full is packed as it starts, so that what was deleted makes room.
func TestNearlyFullStoreIsPackedAtStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	first, err := Start(t.Context(), testConfig(dir, smallQuota))
	if err != nil {
		t.Fatal(err)
	}
	value := strings.Repeat("x", valueBytes)
	withClient(t, first, func(ctx context.Context, client *clientv3.Client) {
		for first.etcd.Server.Backend().Size() < smallQuota/100*(NearlyFullPercent+5) {
			if _, err := client.Put(ctx, "same", value); err != nil {
				t.Fatal(err)
			}
			first.etcd.Server.Backend().ForceCommit() // the size is that of the last commit
		}
	})
	first.Stop()
	second, err := Start(t.Context(), testConfig(dir, smallQuota))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Stop()
	if size := second.etcd.Server.Backend().Size(); size > smallQuota/2 {
		t.Errorf("the file has %d bytes after the start, want less than half of %d", size, smallQuota)
	}
}
