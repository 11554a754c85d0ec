// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"io"
	"strings"
	"testing"
)

// A wrong command line is refused with one line that names the flag.
func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                            "--from must be embedded, etcd or cluster",
		"--from=cluster":              "--to must be embedded, etcd or cluster",
		"--from=cluster --to=disk":    `not "disk"`,
		"--from=cluster --to=cluster": "--from and --to are both cluster",
		"--from=cluster --to=etcd":    "--to=etcd requires --to-etcd-servers",
		"--from=embedded --from-data-dir= --to=cluster":                  "--from=embedded requires --from-data-dir",
		"--from=embedded --from-etcd-servers=http://e:2379 --to=cluster": "--from-etcd-servers requires --from=etcd",
		"--from=embedded --to=cluster --lease=a":                         "--lease must be namespace/name",
		"--from=embedded --to=cluster --kubeconfig=missing":              "set --kubeconfig",
	} {
		t.Run(args, func(t *testing.T) {
			cmd := NewCommand()
			cmd.SetArgs(strings.Fields(args))
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			err := cmd.ExecuteContext(t.Context())
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, want)
			}
		})
	}
}
