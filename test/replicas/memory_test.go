// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/procfs"
)

// logMemory logs the resident memory of each replica, for the figures.
func (g *group) logMemory(t *testing.T) {
	t.Helper()
	leader := g.leader(t)
	said := make([]string, 0, len(g.Replicas.Servers))
	for _, s := range g.Replicas.Servers {
		role := "standby"
		if s == leader {
			role = "leader"
		}
		proc, err := procfs.NewProc(s.PID())
		if err != nil {
			t.Fatal(err)
		}
		status, err := proc.NewStatus()
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, fmt.Sprintf("%s %d MiB, at most %d MiB", role, status.VmRSS>>20, status.VmHWM>>20))
	}
	t.Log("resident memory: " + strings.Join(said, "; "))
}
