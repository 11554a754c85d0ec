// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package subcommand

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Without --kubeconfig the cluster is that of kubectl.
func TestConfig(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	content := `{"clusters":[{"name":"c","cluster":{"server":"https://192.0.2.1"}}],"contexts":[{"name":"c","context":{"cluster":"c"}}],"current-context":"c"}`
	if err := os.WriteFile(kubeconfig, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ environment, flag, wantErr string }{
		"the environment's": {environment: kubeconfig},
		"the flag's":        {environment: "/nowhere", flag: kubeconfig},
		"none":              {environment: "/nowhere", wantErr: "set --kubeconfig"},
		"a missing one":     {environment: kubeconfig, flag: "/nowhere", wantErr: "/nowhere"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.environment)
			config, err := Config(test.flag, time.Minute)
			switch {
			case test.wantErr != "":
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("got error %v, want %q", err, test.wantErr)
				}
			case err != nil:
				t.Error(err)
			case config.Host != "https://192.0.2.1" || config.Timeout != time.Minute:
				t.Errorf("got host %s and timeout %s", config.Host, config.Timeout)
			}
		})
	}
}
