// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestWrittenVersions(t *testing.T) {
	storage := newTestStorage(t)
	relabel := func(hold *v1beta1.NodeMaintenance) { hold.Labels = map[string]string{"a": "b"} }
	want := func(step, version string) {
		t.Helper()
		if got := storage.written.last("worker-1"); got != version {
			t.Errorf("%s: got version %q, want %q", step, got, version)
		}
	}
	want("nothing", anyVersion)
	storage.create(t, alice, newHold("a", "worker-1"), dryRun...)
	storage.create(t, alice, newHold("elsewhere", "worker-2"))
	want("a dry run, and another node", anyVersion)
	created, _ := storage.create(t, alice, newHold("a", "worker-1"))
	want("create", created.ResourceVersion)
	storage.update(t, alice, "a", false, nil, relabel)
	want("update", storage.stored(t, "a").ResourceVersion)
	storage.delete(t, "a")
	want("delete", storage.stored(t, "a").ResourceVersion)
}

func TestOlderVersionIsNotKept(t *testing.T) {
	written := newWrittenVersions()
	for _, version := range []string{"9", "11", "10"} {
		hold := newHold("a", "worker-1")
		hold.ResourceVersion = version
		written.add(hold)
	}
	if got := written.last("worker-1"); got != "11" {
		t.Errorf("got version %q, want the newest, 11", got)
	}
}

// A version is forgotten only if the store has lost it, and nothing was written since.
func TestLostVersionIsForgotten(t *testing.T) {
	tests := map[string]struct {
		version, current string
		want             string
	}{
		"the store was restored": {version: "10", current: "9", want: anyVersion},
		"the store has it":       {version: "10", current: "10", want: "10"},
		"the store has more":     {version: "9", current: "10", want: "10"},
		"a write since":          {version: "9", current: "8", want: "10"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			written := newWrittenVersions()
			hold := newHold("a", "worker-1")
			hold.ResourceVersion = "10"
			written.add(hold)
			written.forgetLost("worker-1", test.version, test.current)
			if got := written.last("worker-1"); got != test.want {
				t.Errorf("got version %q, want %q", got, test.want)
			}
		})
	}
}

// A create waits for a watch cache that does not show the last write to its node yet. If that takes too
// long, the store itself is asked.
func TestCreateWaitsForTheLastWrite(t *testing.T) {
	t.Parallel()
	storage := newTestStorage(t)
	future := newHold("a", "worker-1")
	future.ResourceVersion = "1000000"
	storage.written.add(future)
	if _, err := storage.listOn(t.Context(), "worker-1", storage.written.last("worker-1")); err == nil {
		t.Error("the watch cache answers before it shows the write")
	}
	for _, node := range []string{"worker-1", "worker-2"} {
		if err := storage.tryCreate("on-"+node, node); err != nil {
			t.Errorf("a hold on %s: got %v", node, err)
		}
	}
	if got := storage.written.last("worker-1"); got != anyVersion {
		t.Errorf("creates go on waiting for version %s, which the store does not have", got)
	}
}
