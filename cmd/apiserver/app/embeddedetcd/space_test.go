// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const smallQuota = 16 << 20

// fill writes until the store is full.
func fill(t *testing.T, server *Server, key func(i int) string) {
	t.Helper()
	value := strings.Repeat("x", 1<<20)
	withClient(t, server, func(ctx context.Context, client *clientv3.Client) {
		for i := range 64 {
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
			first, err := Start(t.Context(), Config{Dir: dir, QuotaBytes: smallQuota})
			if err != nil {
				t.Fatal(err)
			}
			fill(t, first, test.key)
			first.Stop()

			second, err := Start(t.Context(), Config{Dir: dir, QuotaBytes: test.quota})
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
