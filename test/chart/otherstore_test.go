// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// wantStoreStays wants an upgrade of the release to keep its store, unless it stops the server too, so that an admin can
// move what is stored. Nothing is changed.
func wantStoreStays(t *testing.T, chart string) {
	t.Helper()
	for name, test := range map[string]struct{ values, want string }{
		"the same":          {values: "store.type=cluster"},
		"etcd":              {values: "store.type=etcd,store.etcd.servers={http://a:2379}", want: "store.type is etcd, but the release stores in cluster. "},
		"embedded":          {values: "store.type=embedded,replicaCount=1", want: "move what is stored with maintenance-apiserver migrate-store"},
		"etcd, no server":   {values: "store.type=etcd,store.etcd.servers={http://a:2379},replicaCount=0"},
		"nothing installed": {values: "store.type=embedded,replicaCount=1,fullnameOverride=another"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cluster.Helm(t.Context(), "upgrade", localcluster.ServerName, chart, "--reset-then-reuse-values", "--set", test.values, "--dry-run=server")
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got the error %v, want %q", err, test.want)
			}
		})
	}
}
