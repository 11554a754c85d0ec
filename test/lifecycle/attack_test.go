// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// growthAllowed is how much more memory the server may need after an attack, in percent.
	growthAllowed = 50
	// historyAllowed is how much the last writes may take, in MiB. The watch cache keeps more than the last
	// 100 events, and those of the last minute, until there are others. It is a little more than a user may
	// write at once, however large the attack.
	historyAllowed = 24
	// readyAfter is how soon the server is ready after an attack, on a machine that has time for it.
	readyAfter = 3 * time.Second
)

// TestTimedAttackWithLargeHolds has a user with the rights for one node write holds as large as may be, as fast
// as may be. The server needs about as much memory afterwards as before, and is ready as soon as before.
func TestTimedAttackWithLargeHolds(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	attacker := newAttacker(t, pool)
	server := replaceServer(t, localcluster.ServerOptions{
		Binary: pool.PlainServerBinary(), DataDir: filepath.Join(t.TempDir(), "data"),
	})
	idle := restart(t, server)
	if _, err := get(t.Context(), t, server, "/apis/"+v1beta1.SchemeGroupVersion.String()+"/nodes"); err != nil {
		t.Fatalf("could not list the nodes, after which the server keeps their states: %v", err)
	}
	before := measure(t, server)
	t.Logf("before: ready after %s, %s", idle, before)

	attacker.attack(t)
	t.Logf("attacked with %s: %s", attacker, measure(t, server))
	attacker.deleteAll(t)
	wantSettled(t, server, before)

	ready := restart(t, server)
	restarted := measure(t, server)
	t.Logf("after a restart: ready after %s, %s", ready, restarted)
	wantAtMost(t, "the heap after a restart", restarted.heap, aboutAsMuch(before.heap))
	wantAtMost(t, "the memory that the start took", restarted.peak, aboutAsMuch(before.peak))
	if limit := max(readyAfter, 2*idle); ready > limit {
		t.Errorf("the server was ready after %s, want %s at most", ready, limit)
	}
}

// wantSettled waits until the server has given back the memory that it does not need.
func wantSettled(t *testing.T, server *localcluster.Server, before usage) {
	t.Helper()
	var after usage
	env.Eventually(t, "the memory after the attack is about as much as before", func(context.Context) string {
		after = measure(t, server)
		if after.resident > aboutAsMuch(before.resident) {
			return fmt.Sprintf("before %s; after %s", before, after)
		}
		return ""
	})
	t.Logf("after the holds were deleted: %s", after)
	wantAtMost(t, "the heap after the attack", after.heap, before.heap+historyAllowed)
}

// restart kills the server and returns how long it takes to be ready again.
func restart(t *testing.T, server *localcluster.Server) time.Duration {
	t.Helper()
	if err := server.Kill(); err != nil {
		t.Fatalf("could not kill the server: %v", err)
	}
	began := time.Now()
	if err := server.Launch(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
	env.Eventually(t, "the server is ready", func(ctx context.Context) string {
		if _, err := get(ctx, t, server, "/readyz"); err != nil {
			return err.Error()
		}
		return ""
	})
	ready := time.Since(began).Round(10 * time.Millisecond)
	if err := server.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ready
}

// usage is how much memory a server uses, in MiB.
type usage struct {
	heap, resident, peak int
}

func (u usage) String() string {
	return fmt.Sprintf("%d MiB in the heap, %d MiB resident, %d MiB at most", u.heap, u.resident, u.peak)
}

var heapAlloc = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)

// measure collects the server's garbage first.
func measure(t *testing.T, server *localcluster.Server) usage {
	t.Helper()
	profile, err := get(t.Context(), t, server, "/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		t.Fatalf("could not read the heap: %v", err)
	}
	found := heapAlloc.FindStringSubmatch(profile)
	if found == nil {
		t.Fatalf("the profile does not tell the size of the heap:\n%s", profile)
	}
	bytes, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return usage{heap: bytes >> 20, resident: memory(t, server, "VmRSS"), peak: memory(t, server, "VmHWM")}
}

// aboutAsMuch is how much the server may need where it needed so much before an attack, in MiB.
func aboutAsMuch(before int) int { return before * (100 + growthAllowed) / 100 }

func wantAtMost(t *testing.T, what string, got, most int) {
	t.Helper()
	if got > most {
		t.Errorf("%s: %d MiB, want %d at most", what, got, most)
	}
}
